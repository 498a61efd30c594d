"""The agents on the public ToolClient: their operations go through `call`, and a crash is gone on with there."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest
from agents.support import EQUAL, ONE, TWO, attempt, group

from faultlab.agents.careful import careful, careful_async
from faultlab.agents.correct import on_tool_client
from faultlab.client.client import ToolClient
from faultlab.core.profiles import PROFILES
from faultlab.core.records import Call, Note
from faultlab.matrix.attempt import Conditions, run_attempt
from faultlab.matrix.life import Agent
from faultlab.matrix.loader import load, shipped_folder
from faultlab.matrix.scenario import Scenario
from faultlab.rules.judge import judge

AGENTS: Mapping[str, Agent] = {"careful": careful, "careful_async": careful_async, "on_tool_client": on_tool_client}
WITHIN = (
    "lost-receipt",
    "mail-receipt-lost",
    "file-receipt-lost",
    "other-region",
    "accepted",
    "promise",
    "crash-journal-kept",
    "crash-journal-lost",
)
BEYOND = {"approval": (), "page-changed": ("on_tool_client",)}
"""By somebody's leave, or decided anew on another version -> the agents that leave it to the client all the same."""


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the client was called, by tool and status of the result."""
    seen: Counter[str] = Counter()
    call, acall = ToolClient.call, ToolClient.acall

    def counted(self: ToolClient, tool: Any, /, **arguments: Any) -> Any:
        result = call(self, tool, **arguments)
        seen[result.status] += 1
        return result

    async def acounted(self: ToolClient, tool: Any, /, **arguments: Any) -> Any:
        result = await acall(self, tool, **arguments)
        seen[result.status] += 1
        return result

    monkeypatch.setattr(ToolClient, "call", counted)
    monkeypatch.setattr(ToolClient, "acall", acounted)
    return seen


def shipped(name: str) -> Scenario:
    return load(shipped_folder() / f"{name}.yaml")


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("name", [*WITHIN, *BEYOND])
def test_what_goes_through_the_client(name: str, agent: str, calls: Counter[str]) -> None:
    for where in shipped(name).groups():
        for twin in where.twins:
            history, _ = run_attempt(AGENTS[agent], where, twin, 0, Conditions(7))
            assert judge(history).codes == ()
    assert bool(calls) == (agent in BEYOND.get(name, AGENTS))


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("contract", PROFILES)
def test_every_operation_of_the_shop_is_one_call(contract: str, agent: str, calls: Counter[str]) -> None:
    for inputs in (ONE, TWO, EQUAL):
        where, before = group(contract, inputs), calls.total()
        for done, twin in enumerate(where.twins, 1):
            came = attempt(AGENTS[agent], where, twin)
            assert calls.total() == before + done * len(came.claim.operations)


def test_what_is_sent_stands_in_the_store_before_it_leaves() -> None:
    came = attempt(careful, group("strict"), "committed")
    written = [
        "journal" if isinstance(event, Note) else "send"
        for event in came.history.events
        if (isinstance(event, Note) and event.name.startswith("journal/") and event.value["calls"])
        or (isinstance(event, Call) and event.kind == "write")
    ]
    assert written[:2] == ["journal", "send"]
    assert len(came.sends) == 2
