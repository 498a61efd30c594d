"""From a task to intents and from stops to a claim: budgets, failing reads, labels, equal orders."""

from typing import Any

import pytest
from agents.support import EQUAL, MUG, ONE, TWO, attempt, failing, group, lost

from faultlab.agents.careful import careful, careful_async
from faultlab.agents.correct import over_ahttp, own_table
from faultlab.agents.oracle import oracle
from faultlab.core.agent import Budget
from faultlab.rules.judge import judge

BOTH = pytest.mark.parametrize("agent", [careful, careful_async])
SHARING = pytest.mark.parametrize("agent", [own_table, over_ahttp, oracle])
"""To whom one answer tells something of several operations: each call of a tool client is about its own."""


@BOTH
def test_a_read_that_fails_twice_is_tried_again_and_counted(agent: Any) -> None:
    came = attempt(agent, group("none", plans={"reads": failing("get_order", 2)}), "reads")
    assert came.tools == ["get_order"] * 3 + ["refund_order"]
    assert came.waits("get_order")[:2] == pytest.approx([0.5, 1.0])
    assert came.claim.evidence == (4,)
    assert judge(came.history).codes == ()


@BOTH
def test_a_task_is_not_gone_on_with_when_the_budget_is_spent(agent: Any) -> None:
    # The first refund uses what there is: 8 calls, of which a hand-over's cost is kept back.
    plan = (lost("before"), *failing("operation_status", 20))
    came = attempt(agent, group("status", TWO, {"spent": plan}, Budget(8, 300, 10)), "spent")
    assert came.claim.operations == {"refund_order(A17)": "handed_over", "refund_order(B92)": "not_done"}
    assert came.of("get_order")[-1].args == {"order_id": "A17"}
    assert "B92" in came.claim.text
    assert judge(came.history).codes == ()


@BOTH
def test_orders_of_one_item_are_told_apart_whatever_their_quantity(agent: Any) -> None:
    came = attempt(agent, group("strict", {"order": [MUG, {**MUG, "quantity": 3}]}, {}))
    assert came.claim.operations == {"place_order(C5, mug)": "done", "place_order(C5, mug)#2": "done"}
    assert [call.args["quantity"] for call in came.sends] == [1, 3]
    assert len(came.effects) == 2


@SHARING
def test_a_list_read_for_one_order_counts_for_its_equal_one(agent: Any) -> None:
    # Both receipts are lost, and neither order can be proved absent: each record names the reads of both.
    plan = (lost("before", "place_order", 1), lost("before", "place_order", 2))
    came = attempt(agent, group("none", EQUAL, {"both": plan}), "both")
    first, second = came.claim.hand_over
    assert set(second.reads) < set(first.reads) == {call.n for call in came.of("list_orders")}
    assert judge(came.history).codes == ()


@SHARING
def test_what_a_later_list_shows_settles_an_earlier_order(agent: Any) -> None:
    # The list cannot be read for the first order; read for the second it shows both.
    plan = (lost("after", "place_order", 1), lost("after", "place_order", 2), *failing("list_orders", 3))
    came = attempt(agent, group("none", EQUAL, {"both": plan}), "both")
    assert len(came.effects) == 2
    assert (came.claim.status, came.claim.hand_over) == ("done", ())
    assert judge(came.history).codes == ()


@BOTH
def test_a_task_without_work_is_not_done_without_a_call(agent: Any) -> None:
    came = attempt(agent, group("none", {}, {}, user=["Hello.", "I forget which one it was."]))
    assert (came.calls, came.claim.status, came.claim.operations) == ([], "not_done", {})


@BOTH
def test_a_hand_over_says_what_a_person_must_look_at(agent: Any) -> None:
    came = attempt(agent, group("none", ONE), "never")
    assert came.claim.text == "Whether 40.00 for A17 was refunded is not known; a person must look."
    (record,) = came.claim.hand_over
    assert set(record.reads) == {call.n for call in came.of("list_refunds")}
    assert record.handle == came.sends[0].reference
