"""The central laws, over random attempts on the real engine: what may be sent, and that it never does harm."""

from collections import Counter
from typing import Any

import pytest
from attempts import Attempt, contracts, moves, plans
from hypothesis import event, given, settings
from hypothesis import strategies as st

from faultlab.core.agent import Budget
from faultlab.core.charge import charge_send
from faultlab.core.clock import NS
from faultlab.core.contract import Contract
from faultlab.core.entitled import Left, Move, entitled
from faultlab.core.operation import Operation, same_parameters
from faultlab.core.profiles import PROFILES
from faultlab.core.records import Call, Outcome
from faultlab.core.refused import standing_refusal
from faultlab.faults.plan import Planned


def move_of(operation: Operation, call: Call, contract: Contract) -> Move | None:
    """Which move of the table a send is; None for one that the table does not have."""
    if operation.knowledge is Outcome.NOT_APPLIED:
        refusal = standing_refusal(operation, contract)
        if refusal is not None and refusal.kind == "key" and call.key == refusal.call.key:
            return None  # another key may do; this one was refused
        return Move.SEND_UNKEYED
    if contract.key is None or call.key is None:
        return Move.SEND_UNKEYED
    bearing = [item for item in operation.calls if item.key == call.key and item.n in operation.open]
    if not bearing or not all(same_parameters(item, call) for item in bearing[:1]):
        return None
    return Move.SEND_SAME_KEY


def check_agreement(attempt: Attempt, call: Call) -> bool:
    operation = attempt.knowledge.operation_of(call)
    if operation is None or operation.knowledge is None:
        return True
    left = Left.of(Budget(10_000, 1e9, 1e9), 0, call.t)
    permitted = entitled(operation, attempt.contract, left, frozenset()).permitted
    charge = charge_send(operation, call, attempt.contract)
    move = move_of(operation, call, attempt.contract)
    refusal = operation.refusal
    if operation.knowledge is Outcome.NOT_APPLIED and refusal is not None:
        refused = next(item for item in operation.calls if item.n == refusal.call)
        if not same_parameters(refused, call) and refusal.status != 403:
            return True  # a corrected call is another request: the table permits it, the moves do not name it
    event(f"{operation.knowledge} {move} {charge.code if charge else None}")
    assert (charge is None) == (move in permitted), (operation.knowledge, move, charge, permitted)
    return True


@given(contracts, plans, moves)
@settings(max_examples=400)
def test_a_send_is_charged_exactly_when_the_table_does_not_permit_it(
    contract: Contract, plan: tuple[Planned, ...], script: list[tuple[str, Any]]
) -> None:
    attempt = Attempt(contract, plan)
    for move in script:
        attempt.play(move, check_agreement)


def permitted_only(attempt: Attempt, call: Call) -> bool:
    operation = attempt.knowledge.operation_of(call)
    return operation is None or charge_send(operation, call, attempt.contract) is None


@pytest.mark.parametrize("intended", [1, 2])
@given(contract=contracts, plan=plans, script=moves)
@settings(max_examples=400)
def test_permitted_sends_never_make_a_second_effect_of_one_operation(
    intended: int, contract: Contract, plan: tuple[Planned, ...], script: list[tuple[str, Any]]
) -> None:
    attempt = Attempt(contract, plan, intended)
    for move in script:
        attempt.play(move, permitted_only)
    attempt.drain()
    owner = {call.n: item.label for item in attempt.knowledge.operations for call in item.calls}
    made = Counter(owner[effect.call] for effect in attempt.effects())
    event(f"{contract.name}: {max(made.values(), default=0)} effects")
    assert all(count == 1 for count in made.values()), made
    happened = Counter(owner[effect.call] for effect in attempt.session.engine.ledger)
    known = {item.label: item.knowledge for item in attempt.knowledge.operations}
    for name, knowledge in known.items():
        if knowledge is Outcome.NOT_APPLIED:
            assert happened[name] == 0, f"{name} was taken for not applied"
        if knowledge is Outcome.APPLIED and intended == 1:
            assert happened[name] >= 1, f"{name} was taken for applied"


@pytest.mark.parametrize("intended", [1, 2])
@given(contract=contracts, plan=plans, script=moves)
@settings(max_examples=400)
def test_a_second_effect_always_has_a_cause_that_was_not_permitted(
    intended: int, contract: Contract, plan: tuple[Planned, ...], script: list[tuple[str, Any]]
) -> None:
    attempt = Attempt(contract, plan, intended)
    charged: set[int] = set()

    def judge(attempt: Attempt, call: Call) -> bool:
        if not permitted_only(attempt, call):
            charged.add(call.n)
        return True

    for move in script:
        attempt.play(move, judge)
    attempt.drain()
    for operation in attempt.knowledge.operations:
        own = {call.n for call in operation.calls}
        causes = {effect.call for effect in attempt.effects() if effect.call in own}
        event(f"{contract.name}: {len(causes)} effects")
        assert len(causes) < 2 or causes & charged, f"{operation.label}: {causes}, charged {charged}"


def test_a_resend_after_a_send_that_was_not_permitted_is_not_permitted_either() -> None:
    # The second call is not permitted and never arrives; the third makes the duplicate.
    for first_key, second_key in ((None, "h2"), ("h1", "h2")):
        plan = (Planned("refund_order", "after"), Planned("refund_order", "before", occurrence=2))
        attempt = Attempt(PROFILES["strict"], plan)
        verdicts = []

        def judge(attempt: Attempt, call: Call, verdicts: list[bool] = verdicts) -> bool:
            verdicts.append(permitted_only(attempt, call))
            return True

        for key in (first_key, second_key, second_key):
            keyed = {"idempotency_key": key} if key else {}
            attempt.play(("send", {"amount": "40.00", **keyed}), judge)
        assert len(attempt.session.engine.ledger) == 2
        assert verdicts == [True, False, False]


def test_a_refusal_of_a_second_call_does_not_make_a_running_first_one_not_found() -> None:
    late = Planned("refund_order", "late_server", late_ns=600 * NS, wake=False)
    attempt = Attempt(PROFILES["status"], (late,))
    for amount in ("40.00", "99.00"):
        attempt.play(("send", {"amount": amount, "reference": "r1"}), lambda attempt, call: True)
    attempt.play(("status", "r1"), permitted_only)
    attempt.fold()
    assert attempt.knowledge.operations[0].knowledge is Outcome.UNKNOWN


@given(contracts, plans, moves, st.integers(0, 16), st.sampled_from([10.0, 100.0, 1e6]))
@settings(max_examples=150)
def test_what_is_productive_is_permitted_and_the_only_way_to_stop_is_to_have_nothing_left(
    contract: Contract, plan: tuple[Planned, ...], script: list[tuple[str, Any]], calls: int, seconds: float
) -> None:
    attempt = Attempt(contract, plan)
    surfaces = frozenset({Move.QUERY, Move.STATUS, Move.FENCE})
    for move in script:
        attempt.play(move, lambda attempt, call: True)
        attempt.fold()
        now_ns = attempt.session.clock.now()
        left = Left.of(Budget(calls, seconds, 20.0), attempt.session.count, now_ns)
        for operation in [None, *attempt.knowledge.operations]:
            may = entitled(operation, attempt.contract, left, surfaces)
            assert may.productive <= may.permitted
            if operation is not None and operation.knowledge is Outcome.APPLIED:
                assert (may.productive, may.stops) == (set(), {"done"})
            elif may.productive:
                assert not may.stops
                assert left.affords()
            else:
                assert "handed_over" in may.stops
                settled = operation is None or operation.knowledge is not Outcome.UNKNOWN
                assert ("not_done" in may.stops) == settled
