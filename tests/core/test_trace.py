"""Histories as text: there and back, and the same bytes for the same seed in any process."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from attempts import Attempt, contracts, moves, plans
from hypothesis import given, settings

from faultlab.core.contract import Contract
from faultlab.core.errors import BadInput
from faultlab.core.profiles import PROFILES, contract_of
from faultlab.core.records import Ask, Call, Claim, Crashed, Event, Forgot, HandOver, Note, Outcome, Receipt, Sight
from faultlab.core.trace import dump, load, shape
from faultlab.faults.plan import Planned

CLAIM = Claim(
    "handed_over", "Frag Zoë", (1,), {"pay(A)": "done"}, (HandOver("pay(A)", None, "0" * 16, "s", 3, "503", (2, 3)),)
)
LIFE = [
    Ask(1, "Which?", None),
    Ask(1, "Which?", "Not A17 after all.", "A17"),
    Note(2, "notes", "n", {"a": [1, None]}),
    Note(2, "notes", "n", None, gone=True),
    Crashed(3, 1, "lost"),
    Forgot(4, ("sent", "limit")),
    Call(-2, -9, "pay", "write", {"id": "A"}, "A", first_sent_ns=-9, items=("A", "B")),
    Receipt(
        -2, -3, Outcome.UNKNOWN, error="ReadTimeout", sights=(Sight("pages/p1", 3), Sight("pages/p2", None, False))
    ),
]
"""Events that the moves of an attempt do not make."""


@given(contracts, plans, moves)
@settings(max_examples=150)
def test_what_is_loaded_is_what_was_dumped(contract: Contract, plan: Any, script: list[Any]) -> None:
    attempt = Attempt(contract, plan)
    for move in script:
        attempt.play(move, lambda attempt, call: True)
    attempt.events += LIFE
    history = attempt.history(CLAIM)
    text = dump(history)
    again = load(text)
    assert again == history
    assert [type(event) for event in again.events] == [type(event) for event in history.events]
    assert dump(again) == text
    assert shape(again) == shape(history)


def test_histories_of_version_1_are_still_read() -> None:
    texts = (Path(__file__).parent / "history-1.jsonl").read_text(encoding="utf-8").splitlines()
    for text, contract in zip(texts, ("strict", "status"), strict=True):
        assert json.loads(text)["version"] == 1
        history = load(text)
        assert history.brief.contract.name == contract
        assert history.claim is not None
        assert [effect.identity for effect in history.ledger] == ["A17"]
        assert load(dump(history)) == history


def test_a_promise_that_is_not_disclosed_is_kept_in_the_brief() -> None:
    contract = contract_of("x", {"profile": "settle", "undisclosed": ["settle_s"], "rejects_before_effect": [503, 429]})
    history = Attempt(contract, ()).history(CLAIM)
    assert load(dump(history)).brief.contract == contract


def test_what_is_not_json_is_written_by_its_type_and_never_stops_a_dump() -> None:
    attempt = Attempt(PROFILES["none"], ())
    attempt.call("refund_order", order_id="A17", amount=Decimal(40))
    attempt.events.append(Note(2, "store", "seen", {"A17"}))
    text = dump(attempt.history(Claim("done", "half a pair \ud800, Zoë")))
    assert load(text).claim == Claim("done", "half a pair ?, Zoë", t=attempt.session.clock.now())
    assert text.encode()
    assert load(text).events[0].args == {"order_id": "A17", "amount": "<Decimal>"}  # type: ignore[union-attr]  # a call
    assert '"<set>"' in text


@pytest.mark.parametrize(
    "change",
    [
        {"version": 3},
        {"version": None},
        {"events": [{"kind": "storm"}]},
        {"events": [{"kind": "call"}]},
        {"events": ["call"]},
        {"brief": None},
        {"ledger": 3},
        {"events": [{"kind": "receipt", "call": 1, "t": 1, "outcome": "?"}]},
        {"events": [{"kind": "receipt", "call": 1, "t": 1, "outcome": "applied", "reveals": [["x"]]}]},
    ],
)
def test_text_that_is_no_history_is_bad_input(change: dict[str, Any]) -> None:
    good = json.loads(dump(Attempt(PROFILES["strict"], ()).history(CLAIM)))
    with pytest.raises(BadInput, match="history"):
        load(json.dumps({**good, **change}))
    for text in ("", "[]", "{}", "nonsense", json.dumps({**good, "brief": {**good["brief"], "writes": []}})):
        with pytest.raises(BadInput, match="history"):
            load(text)


def test_shapes_are_equal_for_equal_behaviour_whatever_ids_and_times_are() -> None:
    def story(key: str, wait_s: float, calls: int = 2) -> str:
        attempt = Attempt(PROFILES["strict"], (Planned("refund_order", "after"),))
        for _ in range(calls):
            attempt.call("refund_order", order_id="A17", amount="40.00", idempotency_key=key)
            attempt.session.clock.sleep(wait_s)
        return shape(attempt.history(Claim("done")))

    def life(*events: Event) -> str:
        attempt = Attempt(PROFILES["strict"], ())
        attempt.events += events
        return shape(attempt.history(Claim("done")))

    assert len({life(*LIFE), life(*LIFE[:1]), life(), life(LIFE[4]), life(Crashed(3, 1, "kept")), life(LIFE[5])}) == 6
    assert life(Crashed(3, 1, "kept")) == life(Crashed(9, 1, "kept"))
    assert story("k1", 1) == story("k2", 7)
    assert story("k1", 1) != story("k1", 1, calls=3)


PROGRAM = """
import sys
sys.path[:0] = [{tests!r}, {root!r}]
from attempts import Attempt
from faultlab.core.profiles import PROFILES
from faultlab.core.records import Claim
from faultlab.core.trace import dump
from faultlab.faults.catalog import TWINS
from faultlab.faults.plan import Planned
for name in sorted(PROFILES):
    for phase in TWINS.values():
        attempt = Attempt(PROFILES[name], (Planned("refund_order", phase, late_ns=9),))
        for _ in range(2):
            attempt.call("refund_order", order_id="A17", amount="40.00", idempotency_key="k1", reference="r1")
            attempt.play(("status", "r1"), lambda attempt, call: True)
            attempt.call("list_refunds", order_id="A17")
        print(dump(attempt.history(Claim("done"))))
"""


def test_two_processes_write_the_same_bytes(package: Path, project: Path) -> None:
    program = PROGRAM.format(tests=str(project / "tests"), root=str(package.parent))

    def run(hash_seed: str) -> bytes:
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        return subprocess.run([sys.executable, "-c", program], env=environment, check=True, capture_output=True).stdout

    first, second = run("1"), run("2")
    assert first == second
    assert first.count(b"\n") == len(PROFILES) * 4
    assert load(first.splitlines()[0].decode()) == replace(load(second.splitlines()[0].decode()))
