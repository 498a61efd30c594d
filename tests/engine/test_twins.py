"""Twins: four truths that a caller cannot tell apart by anything it sees, before a call that declares to tell."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from labs import REFUND, TRANSPORTS, Seen, Step, drain, fault, lab, play, shows
from quiet import KEY, REFERENCE, steps, tells

from faultlab.core.records import Call, Crashed, Receipt
from faultlab.faults.catalog import TWINS
from faultlab.faults.symptoms import CRASHING, LOSING

LOOKS = [*LOSING, *CRASHING]
CONTRACTS = ("none", "strict", "status")
ORDER = Step("place_order", {"customer": "C1", "item": "mug", "quantity": 1})
REVERSAL = Step("reverse_refund", {"order_id": "A17", "amount": "40.00"})
LOST = [replace(step, key=KEY, reference=REFERENCE) for step in (REFUND, ORDER, REVERSAL)]


def view(twin: str, transport: str, contract: str, symptom: str, script: list[Step], lost: Step) -> Any:
    """All that the caller gets, and the record of it without what only the server knows."""
    session = lab(contract, fault(TWINS[twin], symptom, lost.tool))
    seen = play(transport, session, script)
    return seen, [event for event in session.events if type(event) in (Call, Receipt, Crashed)]


@pytest.mark.parametrize(
    ("transport", "symptom"),
    [(transport, symptom) for transport in TRANSPORTS for symptom in LOOKS if shows(transport, symptom)],
)
@pytest.mark.parametrize("contract", CONTRACTS)
def test_every_lost_receipt_looks_the_same(transport: str, symptom: str, contract: str) -> None:
    before = Step("get_order", {"order_id": "A17"})
    others = [Step("get_balance", {"account": "C2"}), Step("get_order", {"order_id": "B92"}, rest_s=650)]
    for lost in LOST[:2]:
        script = [before, lost, *others]
        first, *rest = [view(twin, transport, contract, symptom, script, lost) for twin in TWINS]
        assert [other for other in rest if other != first] == []


@pytest.mark.parametrize("transport", TRANSPORTS)
@settings(max_examples=60)
@given(data=st.data())
def test_calls_that_do_not_declare_to_tell_tell_nothing(transport: str, data: st.DataObject) -> None:
    contract = data.draw(st.sampled_from(CONTRACTS))
    lost = data.draw(st.sampled_from(LOST))
    lost = replace(lost, timeout_s=data.draw(st.sampled_from([0.01, 1.0, 5.0])))
    symptom = data.draw(st.sampled_from([symptom for symptom in LOOKS if shows(transport, symptom)]))
    quiet = steps(contract).filter(lambda step: not tells(step, lost))
    script = [lost, *data.draw(st.lists(quiet, min_size=1, max_size=6))]
    if lost.tool == "reverse_refund":
        script.insert(0, REFUND)
    first, *rest = [view(twin, transport, contract, symptom, script, lost) for twin in TWINS]
    assert [other for other in rest if other != first] == []


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_balance_of_somebody_else_tells_nothing(transport: str) -> None:
    # get_balance declares to tell of refunds, whosever they are: it cannot be asked about one order.
    script = [LOST[0], Step("get_balance", {"account": "C2"}), Step("get_balance", {"account": "C2"}, rest_s=650)]
    first, *rest = [view(twin, transport, "none", "reset", script, LOST[0]) for twin in TWINS]
    assert rest == [first] * 3


@pytest.mark.parametrize(
    ("contract", "lost", "query"),
    [
        ("none", LOST[0], Step("list_refunds", {"order_id": "A17"})),
        ("none", LOST[0], Step("get_order", {"order_id": "A17"})),
        ("none", LOST[0], Step("get_balance", {"account": "C1"})),
        ("none", LOST[1], Step("list_orders", {"customer": "C1", "item": "mug"})),
        ("status", LOST[0], Step("operation_status", {"reference": REFERENCE})),
        ("none", LOST[0], REVERSAL),
    ],
    ids=lambda value: getattr(value, "tool", value),
)
def test_a_call_that_declares_to_tell_does(contract: str, lost: Step, query: Step) -> None:
    # Without this the property above could hold because nothing ever tells.
    assert tells(query, lost)
    answers: dict[str, Seen] = {
        twin: view(twin, "direct", contract, "timeout", [lost, query], lost)[0][-1] for twin in TWINS
    }
    assert answers["never"] != answers["committed"]
    assert answers["never"] == answers["late_network"]


def test_only_the_ledger_differs() -> None:
    counts = {}
    for twin, phase in TWINS.items():
        session = lab("none", fault(phase))
        play("direct", session, [LOST[0]])
        at_once = len(session.engine.ledger)
        drain(session)
        counts[twin] = (at_once, len(session.engine.ledger))
    assert counts == {"never": (0, 0), "committed": (1, 1), "late_network": (0, 1), "late_server": (0, 1)}
