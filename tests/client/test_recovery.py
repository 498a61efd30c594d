"""What a recovery knows of its own operation: handles, waits before asking, and the record for a person."""

from itertools import pairwise

import pytest
from client.histories import REFUND, Trial

from faultlab.client.recovery import Intent, Log, Recovery
from faultlab.core.agent import Budget
from faultlab.core.canonical import digest
from faultlab.core.clock import NS
from faultlab.core.contract import Contract, KeyRules
from faultlab.core.entitled import Move
from faultlab.core.profiles import PROFILES
from faultlab.core.records import Call, Receipt
from faultlab.faults.plan import Planned

LOST = Planned("refund_order", "before")


def calls(trial: Trial, tool: str) -> list[Call]:
    return [event for event in trial.attempt.events if isinstance(event, Call) and event.tool == tool]


@pytest.mark.parametrize(
    ("contract", "asks"),
    [
        (Contract(name="barred", key=KeyRules(window_s=3.0), fence="durable"), "cancel_operation"),
        (Contract(name="too old", key=KeyRules(window_s=3.0, on_expired="reject"), status=True), "operation_status"),
    ],
)
def test_a_key_that_can_do_no_more_is_replaced_once_nothing_can_come_of_the_first_send(
    contract: Contract, asks: str
) -> None:
    trial = Trial(contract, (LOST,))
    assert trial.run().status == "done"
    first, second = calls(trial, "refund_order")
    assert [call.tool for call in trial.recovery.log.calls] == ["refund_order", asks, "refund_order"]
    assert first.key != second.key
    assert first.reference != second.reference


def test_a_key_that_still_holds_is_kept_after_a_conclusive_no() -> None:
    # Under a window that is not stated the resend is not protected: status first, and then the same key.
    contract = Contract(name="both", key=KeyRules(), status=True, undisclosed=frozenset({"key.window_s"}))
    trial = Trial(contract, (LOST,))
    assert trial.run().status == "done"
    assert trial.rows == ["not_sent", "status_offered", "not_applied", "applied"]
    assert {call.key for call in calls(trial, "refund_order")} == {trial.recovery.key}


@pytest.mark.parametrize("symptom", ["timeout", "reset", "status"])
@pytest.mark.parametrize("tool", ["operation_status", "list_refunds", "cancel_operation"])
def test_a_surface_that_fails_is_asked_three_times_with_growing_waits(tool: str, symptom: str) -> None:
    contract = {"operation_status": "status", "list_refunds": "none", "cancel_operation": "fence"}[tool]
    deaf = [Planned(tool, "before", symptom, number, required=False) for number in range(1, 20)]
    trial = Trial(PROFILES[contract], (LOST, *deaf))
    ended = trial.run()
    asked = calls(trial, tool)
    assert len(asked) == 3
    gaps = [later.t - earlier.t for earlier, later in pairwise(asked)]
    assert gaps == sorted(set(gaps))
    assert ended.status == "handed_over"


def test_a_running_operation_is_asked_about_every_poll_s_until_it_has_ended() -> None:
    late = Planned("refund_order", "late_server", late_ns=28 * NS, wake=False)
    trial = Trial(PROFILES["status"], (late,))
    assert trial.run().status == "done"
    asked = calls(trial, "operation_status")
    assert len(asked) > 3
    assert {later.t - earlier.t for earlier, later in pairwise(asked)} == {5 * NS}


def test_a_second_look_is_not_taken_before_poll_s() -> None:
    trial = Trial(Contract(name="slow", poll_s=17.0), (LOST,))
    trial.run()
    first, second = calls(trial, "list_refunds")
    assert second.t - first.t == 17 * NS


def test_the_conclusive_read_begins_when_everything_has_settled_and_not_before() -> None:
    trial = Trial(Contract(name="lag", settle_s=30.0, read_lag_s=4.0, consistent_reads=True), (LOST,))
    assert trial.run().status == "done"
    (read,) = calls(trial, "list_refunds")
    assert read.t - calls(trial, "refund_order")[0].t == 34 * NS


def test_a_settle_time_beyond_the_budget_is_not_waited_for() -> None:
    contract = Contract(name="long", settle_s=600.0, consistent_reads=True)
    trial = Trial(contract, (LOST,), Budget(20, 300, 30))
    ended = trial.run()
    assert (ended.status, len(calls(trial, "list_refunds"))) == ("handed_over", 1)
    assert trial.now_s < 10


def test_waits_between_sends_grow() -> None:
    lost = [Planned("refund_order", "before", "reset", number, required=False) for number in range(1, 6)]
    trial = Trial(PROFILES["strict"], tuple(lost))
    assert trial.run().status == "done"
    sends = calls(trial, "refund_order")
    assert len({call.key for call in sends}) == 1
    gaps = [later.t - earlier.t for earlier, later in pairwise(sends)]
    assert gaps == sorted(set(gaps))


def test_the_record_holds_what_happened() -> None:
    trial = Trial(PROFILES["none"], (LOST,))
    record = trial.run().record
    assert record is not None
    (sent,) = calls(trial, "refund_order")
    receipt = next(event for event in trial.attempt.events if isinstance(event, Receipt) and event.call == sent.n)
    assert record.operation == "refund_order(A17)"
    assert record.handle == sent.reference is not None
    assert record.digest == digest(REFUND.args)
    assert record.first_sent_ns == sent.t
    assert record.last_receipt == receipt.error
    assert record.reads == tuple(call.n for call in calls(trial, "list_refunds"))


@pytest.mark.parametrize(
    ("tool", "args", "query"),
    [
        # get_order and get_balance change with a refund too, but do not say with which one.
        ("refund_order", {"order_id": "A17", "amount": "1.00"}, "list_refunds"),
        ("place_order", {"customer": "C5", "item": "mug", "quantity": 2}, "list_orders"),
        ("reverse_refund", {"order_id": "A17", "amount": "1.00"}, None),
    ],
)
def test_what_can_be_asked_is_a_list_that_shows_the_effect(tool: str, args: dict[str, str], query: str | None) -> None:
    trial = Trial(PROFILES["none"])
    recovery = Recovery(Intent(tool, args, "x"), trial.task, trial.recovery.env, Log())
    assert recovery.tool_for(Move.QUERY) == query
    assert recovery.tool_for(Move.STATUS) is recovery.tool_for(Move.FENCE) is None
    if query is not None:
        assert set(recovery.query_args()) == set(trial.task.tools[query]["parameters"]["properties"])
