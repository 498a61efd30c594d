"""One script gives one history, whatever transport carries it."""

from dataclasses import replace
from typing import Any

import pytest
from labs import HTTP, REFUND, TRANSPORTS, Step, drain, fault, lab, play, shows

from faultlab.core.records import Call, Fired, Receipt
from faultlab.faults.catalog import ALLOWED
from faultlab.faults.plan import Plan

SCRIPT = [
    Step("get_order", {"order_id": "A17"}),
    replace(REFUND, key="k-1", reference="r-1"),
    Step("list_refunds", {"order_id": "A17"}, rest_s=5),
    replace(REFUND, key="k-1", reference="r-1", rest_s=5),
    replace(REFUND, key="k-1", reference="r-1", rest_s=700),
    Step("place_order", {"customer": "C1", "item": "mug", "quantity": 2}, key="k-2"),
    Step("place_order", {"customer": "C1", "item": "mug", "quantity": 0}, key="k-3"),
    Step("refund_order", {"order_id": "B92"}, key="k-4"),
    Step("get_order", {"order_id": "Z00"}),
    Step("list_orders", {"customer": "C1", "item": "mug"}),
    Step("get_balance", {"account": "C1"}),
]
FAULTS: list[Plan] = [(), *[(fault(phase, symptom),) for phase, symptoms in ALLOWED.items() for symptom in symptoms]]


def name_of(plan: Plan) -> str:
    return "-".join([part for planned in plan for part in (planned.phase, planned.symptom)]) or "clean"


def history(transport: str, contract: str, plan: Plan, *, rest: bool = False) -> tuple[list[Any], list[Any]]:
    session = lab(contract, *plan)
    play(transport, session, [replace(step, rest=rest) for step in SCRIPT])
    drain(session)
    return session.events, session.engine.ledger


@pytest.mark.parametrize("plan", FAULTS, ids=name_of)
@pytest.mark.parametrize("contract", ["none", "strict"])
def test_every_transport_tells_the_same_story(contract: str, plan: Plan) -> None:
    # Nothing need be removed before comparing: bytes and transport headers stand in no record, and the times are equal.
    first = history("direct", contract, plan)
    assert [type(event) for event in first[0]].count(Call) == len(SCRIPT)
    symptom = plan[0].symptom if plan else ""
    received = len(SCRIPT) - symptom.startswith("crash")
    assert [type(event) for event in first[0]].count(Receipt) == received
    assert [type(event) for event in first[0]].count(Fired) == len(plan)
    for transport in [name for name in TRANSPORTS[1:] if shows(name, symptom)]:
        assert history(transport, contract, plan) == first, transport


@pytest.mark.parametrize("transport", HTTP)
@pytest.mark.parametrize("plan", [(), (fault("after", "truncated"),), (fault("late_server"),)], ids=name_of)
def test_rest_routes_tell_the_same_story(transport: str, plan: Plan) -> None:
    assert history(transport, "strict", plan, rest=True) == history("direct", "strict", plan)


@pytest.mark.parametrize("contract", ["status", "fence", "cooperative"])
def test_status_and_fence_are_tools_like_others(contract: str) -> None:
    asked = "operation_status" if contract == "status" else "cancel_operation"
    script = [replace(REFUND, reference="r-1"), Step(asked, {"reference": "r-1"}), Step(asked, {"reference": "r-1"})]

    def events(transport: str, *, rest: bool) -> list[Any]:
        session = lab(contract, fault("late_server", "close"))
        play(transport, session, [replace(step, rest=rest) for step in script])
        return session.events

    first = events("direct", rest=False)
    states = [event.body["state"] for event in first if type(event) is Receipt and event.call > 1]
    assert states == {"cooperative": ["accepted", "accepted"]}.get(contract, ["not_ready", "applied"])
    for transport in HTTP:
        assert events(transport, rest=False) == events(transport, rest=True) == first
