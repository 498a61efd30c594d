"""One attempt's record: numbers, identities, budgets, patience, and what is written down."""

from typing import Any

import pytest
from labs import WORLD, fault, lab

from faultlab.core.agent import Budget, ToolError
from faultlab.core.clock import NS, VirtualClock, ns
from faultlab.core.contract import Contract
from faultlab.core.errors import AttemptOver, Hung
from faultlab.core.history import Brief, Expectation
from faultlab.core.profiles import PROFILES, contract_of
from faultlab.core.records import Call, Event, Outcome, Receipt
from faultlab.engine.arrival import SILENCE_NS
from faultlab.engine.engine import Engine
from faultlab.engine.session import Session
from faultlab.faults.symptoms import LOSING
from faultlab.toolsets.shop import SHOP
from faultlab.transports.direct import sync_tools
from faultlab.transports.wait import wait

REFUND = {"order_id": "A17", "amount": "40.00"}


def with_budget(budget: Budget, contract: Contract = PROFILES["none"]) -> Session:
    events: list[Event] = []
    engine = Engine(SHOP, contract, WORLD, (), 7, events)
    return Session(engine, VirtualClock(), Brief(contract, budget, Expectation(), {}), events)


def failed(session: Session, name: str, **args: Any) -> ToolError:
    with pytest.raises(ToolError) as raised:
        sync_tools(session)[name](**args)
    return raised.value


@pytest.mark.parametrize(
    ("budget", "calls"),
    [(Budget(calls=2, cost=100), 6), (Budget(calls=100, cost=2), 6), (Budget(calls=3, cost=2), 6)],
)
def test_three_times_as_many_calls_as_allowed_are_answered_and_no_more(budget: Budget, calls: int) -> None:
    session = with_budget(budget)
    read = sync_tools(session)["get_order"]
    for _ in range(calls):
        read(order_id="A17")
    with pytest.raises(AttemptOver, match=f"{calls} calls"):
        read(order_id="A17")
    assert session.count == calls
    assert len(session.events) == 2 * calls


def test_an_attempt_is_over_at_three_times_its_seconds() -> None:
    session = with_budget(Budget(seconds=10))
    read = sync_tools(session)["get_order"]
    session.clock.until(ns(30) - 1)
    read(order_id="A17")
    with pytest.raises(AttemptOver):
        read(order_id="A17")


def test_an_attempt_that_is_over_is_no_ordinary_exception() -> None:
    assert not issubclass(AttemptOver, Exception)
    assert not issubclass(Hung, Exception)


def test_calls_are_numbered_labelled_and_written_with_copies_of_their_arguments() -> None:
    session = lab("strict")
    tools = sync_tools(session)
    tools["get_order"](order_id="A17")
    tools["refund_order"](**REFUND, idempotency_key="k1", reference="r1")
    tools["place_order"](customer="C1", item="mug", quantity=1)
    calls = [event for event in session.events if type(event) is Call]
    assert [(call.n, call.identity, call.kind) for call in calls] == [
        (1, "", "read"),
        (2, "A17", "write"),
        (3, "C1, mug", "write"),
    ]
    assert (calls[1].args, calls[1].key, calls[1].reference) == (REFUND, "k1", "r1")
    nested: dict[str, Any] = {"order_id": ["A17"]}
    session.begin("get_order", nested)
    nested["order_id"].append("changed")
    last = session.events[-1]
    assert type(last) is Call
    assert last.args == {"order_id": ["A17"]}


def test_what_a_caller_does_with_its_answer_changes_neither_record_nor_server() -> None:
    session = lab("strict")
    tools = sync_tools(session)
    answer = tools["refund_order"](**REFUND, idempotency_key="k1")
    first = dict(answer)
    answer["amount"] = "changed"
    assert tools["refund_order"](**REFUND, idempotency_key="k1") == first
    shown = tools["list_refunds"]("A17")
    shown["refunds"][0]["amount"] = "changed"
    shown["refunds"].clear()
    assert tools["list_refunds"]("A17")["refunds"] == [first]
    bodies = [event.body for event in session.events if type(event) is Receipt]
    assert bodies == [first, first, {"refunds": [first], "complete": True}, {"refunds": [first], "complete": True}]


def test_an_answer_comes_after_the_latency() -> None:
    session = lab()
    sync_tools(session)["get_order"](order_id="A17")
    assert session.clock.now() == session.latency_ns
    receipt = session.events[-1]
    assert type(receipt) is Receipt
    assert (receipt.t, receipt.outcome, receipt.status) == (session.latency_ns, Outcome.APPLIED, 200)


@pytest.mark.parametrize("patience_s", [0.04, 1.0, 7.0])
def test_silence_lasts_as_long_as_the_callers_patience(patience_s: float) -> None:
    session = lab("none", fault("after"), patience_s=patience_s)
    error = failed(session, "refund_order", **REFUND)
    assert (error.receipt.error, error.outcome, session.clock.now()) == ("ReadTimeout", Outcome.UNKNOWN, ns(patience_s))


def test_after_an_hour_the_server_closes_a_silent_connection() -> None:
    session = lab("none", fault("after"), patience_s=5 * 3600)
    assert failed(session, "refund_order", **REFUND).receipt.error == "RemoteProtocolError"
    assert session.clock.now() == SILENCE_NS


def test_a_caller_without_patience_hangs_in_silence_and_is_told_so() -> None:
    session = lab("none", fault("after"))
    ticket = session.begin("refund_order", REFUND)
    with pytest.raises(Hung, match=r"call 1 \(refund_order\) has no timeout"):
        wait(session, ticket, None)


@pytest.mark.parametrize("symptom", sorted(LOSING))
def test_every_losing_symptom_leaves_the_outcome_unknown(symptom: str) -> None:
    session = lab("none", fault("after", symptom))
    assert failed(session, "refund_order", **REFUND).outcome is Outcome.UNKNOWN
    assert len(session.engine.ledger) == 1


@pytest.mark.parametrize(("symptom", "error"), [("reset", "ConnectError"), ("timeout", "ConnectTimeout")])
def test_a_connection_that_never_came_about_proves_that_nothing_happened(symptom: str, error: str) -> None:
    session = lab("none", fault("connect", symptom))
    refused = failed(session, "refund_order", **REFUND)
    assert (refused.receipt.error, refused.outcome, session.engine.ledger) == (error, Outcome.NOT_APPLIED, [])


def test_a_status_that_the_contract_declares_harmless_is_not_applied() -> None:
    contract = contract_of("x", {"profile": "none", "rejects_before_effect": [503]})
    assert failed(lab(contract, fault("before", "status")), "refund_order", **REFUND).outcome is Outcome.NOT_APPLIED
    assert failed(lab("none", fault("before", "status")), "refund_order", **REFUND).outcome is Outcome.UNKNOWN


def test_a_read_writes_down_what_it_told_and_a_failed_one_what_it_was_asked() -> None:
    session = lab("none", fault("before", "reset", tool="list_refunds"))
    tools = sync_tools(session)
    tools["refund_order"](**REFUND, reference="r1")
    failed(session, "list_refunds", order_id="A17")
    tools["list_refunds"](order_id="A17")
    tools["get_balance"](account="C1")
    lost, told, balance = [event for event in session.events if type(event) is Receipt][1:]
    assert [(item.tool, item.identity, item.shown) for item in lost.reveals] == [("refund_order", "A17", ())]
    assert [(item.answer, item.shown, item.definitive) for item in told.reveals] == [("present", ("r1",), False)]
    assert balance.reveals == ()


def test_a_caller_that_gives_up_itself_has_an_unknown_outcome_and_the_call_goes_on() -> None:
    session = lab("none", fault("late_server"))
    ticket = session.begin("refund_order", REFUND)
    session.clock.sleep(1)
    receipt = session.abandon(ticket, "CancelledError")
    assert (receipt.outcome, receipt.error, receipt.t) == (Outcome.UNKNOWN, "CancelledError", NS)
    session.engine.catch_up(ns(601))
    assert [effect.call for effect in session.engine.ledger] == [1]
