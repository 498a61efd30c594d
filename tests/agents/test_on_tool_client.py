"""The agent on the public ToolClient: most of its operations go through `call`, and a crash is gone on with there."""

from collections import Counter
from typing import Any

import pytest
from agents.support import EQUAL, ONE, TWO, attempt, group

from faultlab.agents.correct.on_tool_client import on_tool_client
from faultlab.client.client import ToolClient
from faultlab.core.profiles import PROFILES
from faultlab.core.records import Call, Note
from faultlab.matrix.attempt import Conditions, run_attempt
from faultlab.matrix.loader import load, shipped_folder
from faultlab.matrix.scenario import Scenario
from faultlab.rules.judge import judge

BEYOND = {"approval"}
"""By somebody's leave: without the client."""
WITHIN = {
    "lost-receipt",
    "mail-receipt-lost",
    "page-receipt-lost",
    "page-changed",
    "file-receipt-lost",
    "other-region",
    "accepted",
    "promise",
    "crash-journal-kept",
    "crash-journal-lost",
}


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the client was called, by tool and status of the result."""
    seen: Counter[str] = Counter()
    call = ToolClient.call

    def counted(self: ToolClient, tool: Any, /, **arguments: Any) -> Any:
        result = call(self, tool, **arguments)
        seen[result.status] += 1
        return result

    monkeypatch.setattr(ToolClient, "call", counted)
    return seen


def shipped(name: str) -> Scenario:
    return load(shipped_folder() / f"{name}.yaml")


@pytest.mark.parametrize("name", sorted(WITHIN | BEYOND))
def test_what_goes_through_the_client(name: str, calls: Counter[str]) -> None:
    for where in shipped(name).groups():
        for twin in where.twins:
            history, _ = run_attempt(on_tool_client, where, twin, 0, Conditions(7))
            assert judge(history).codes == ()
    assert bool(calls) == (name in WITHIN)


@pytest.mark.parametrize("contract", PROFILES)
def test_every_operation_of_the_shop_is_one_call(contract: str, calls: Counter[str]) -> None:
    for inputs in (ONE, TWO, EQUAL):
        where, before = group(contract, inputs), calls.total()
        for done, twin in enumerate(where.twins, 1):
            came = attempt(on_tool_client, where, twin)
            assert calls.total() == before + done * len(came.claim.operations)


def test_what_is_sent_stands_in_the_store_before_it_leaves() -> None:
    came = attempt(on_tool_client, group("strict"), "committed")
    written = [
        "journal" if isinstance(event, Note) else "send"
        for event in came.history.events
        if (isinstance(event, Note) and event.name.startswith("journal/") and event.value[1])
        or (isinstance(event, Call) and event.kind == "write")
    ]
    assert written[:2] == ["journal", "send"]
    assert len(came.sends) == 2
