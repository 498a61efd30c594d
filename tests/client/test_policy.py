"""The table makes exactly the moves that `entitled` permits and finds productive, and stops where it says."""

from collections import Counter

import pytest
from attempts import contracts, plans
from client.histories import Trial, budgets, pasts
from hypothesis import event, given, settings
from hypothesis import strategies as st

from faultlab.client.moves import stop
from faultlab.client.policy import TABLE, changed
from faultlab.core.agent import Budget
from faultlab.core.clock import NS
from faultlab.core.contract import Contract, KeyRules
from faultlab.core.profiles import PROFILES
from faultlab.core.records import Outcome
from faultlab.faults.plan import Planned

short_windows = st.builds(
    Contract,
    name=st.just("short window"),
    key=st.builds(
        KeyRules,
        window_s=st.sampled_from([None, 3.0, 12.0]),
        on_expired=st.sampled_from(["execute", "reject"]),
        retry_after_s=st.sampled_from([None, 1, 60]),
        replay_header=st.sampled_from([None, "Idempotent-Replayed"]),
        save_5xx=st.booleans(),
    ),
    status=st.booleans(),
    fence=st.sampled_from([None, "durable", "cooperative"]),
    settle_s=st.sampled_from([None, 25.0, 600.0]),
    consistent_reads=st.booleans(),
)


@given(contracts | short_windows, plans, budgets, pasts)
@settings(max_examples=500)
def test_every_move_is_permitted_and_productive_and_every_stop_is_right(
    contract: Contract, plan: tuple[Planned, ...], budget: Budget, past: list[str | float]
) -> None:
    trial = Trial(contract, plan, budget)
    ended = trial.run(past)  # each step is compared with `entitled` on the way
    event(f"{trial.rows[-1]}: {ended.status}")


@given(contracts | short_windows, plans, budgets)
@settings(max_examples=500)
def test_from_the_first_send_on_there_is_at_most_one_effect_and_the_stop_is_true(
    contract: Contract, plan: tuple[Planned, ...], budget: Budget
) -> None:
    trial = Trial(contract, plan, budget)
    ended = trial.run()
    knowledge = trial.recovery.knowledge
    trial.attempt.drain()
    made = len(trial.session.engine.ledger)
    assert len(trial.attempt.effects()) <= 1
    if ended.status == "handed_over":
        assert ended.record is not None
        assert knowledge is Outcome.UNKNOWN
    else:
        assert bool(made) == (ended.status == "done")


LOST = Planned("refund_order", "before")
REJECTING = Contract(name="r", key=KeyRules(window_s=8.0, on_expired="reject"), status=True)


@pytest.mark.parametrize(
    ("contract", "plan", "rows"),
    [
        ("strict", (), "not_sent applied"),
        ("strict", (LOST,), "not_sent protected_by_key applied"),
        ("strict", (Planned("refund_order", "late_server"),), "not_sent protected_by_key applied"),
        ("status", (LOST,), "not_sent status_offered not_applied applied"),
        ("fence", (LOST,), "not_sent fence_offered not_applied applied"),
        ("settle", (LOST,), "not_sent settle_stated not_applied applied"),
        ("none", (LOST,), "not_sent worth_a_look worth_a_look still_unknown"),
        ("cooperative", (LOST,), "not_sent worth_a_look worth_a_look still_unknown"),
        ("none", (Planned("refund_order", "after"),), "not_sent worth_a_look applied"),
        ("none", (Planned("refund_order", "connect"),), "not_sent not_applied applied"),
    ],
)
def test_the_rows_taken(contract: str, plan: tuple[Planned, ...], rows: str) -> None:
    trial = Trial(PROFILES[contract], plan)
    trial.run()
    assert trial.rows == rows.split()


def test_an_answer_in_flight_is_asked_again_when_it_says() -> None:
    late = Planned("refund_order", "late_server", late_ns=20 * NS, wake=False)
    trial = Trial(PROFILES["strict"], (late,))
    assert trial.run().status == "done"
    assert "told_to_wait" in trial.rows
    assert len(trial.session.engine.ledger) == 1


def test_every_row_is_taken_by_somebody() -> None:
    taken: Counter[str] = Counter()
    poor = Budget(8, 60, 5)
    for contract, plan, budget in [
        (PROFILES["strict"], (Planned("refund_order", "late_server", late_ns=10 * NS, wake=False),), None),
        (PROFILES["status"], (LOST,), None),
        (PROFILES["fence"], (LOST,), None),
        (PROFILES["settle"], (LOST,), None),
        (PROFILES["none"], (LOST,), None),
        (PROFILES["none"], (LOST,), poor),
    ]:
        trial = Trial(contract, plan, budget)
        trial.run()
        taken.update(trial.rows)
    # The shop refuses nobody for want of authority, the right amount never for good, and its rows have no versions:
    # the other rows are taken in test_decisions.py.
    others = {"forbidden", "refused_for_good", "version_undecided", "another_version", "version_gone"}
    assert set(taken) == {row.name for row in TABLE} - others - {"protected_by_version", "harmless_again"}


@pytest.mark.parametrize(("status", "claimed"), [(403, "refused"), (422, "not_done")])
def test_a_refusal_for_good_is_not_repeated(status: int, claimed: str) -> None:
    trial = Trial(PROFILES["none"])
    trial.refuse_with(status)
    assert trial.run().status == claimed
    assert trial.session.count == 1


def test_a_failure_that_the_server_keeps_under_the_key_is_not_asked_for_again() -> None:
    for contract, sends in (("stripe_v1", 1), ("strict", None)):
        trial = Trial(PROFILES[contract], budget=Budget(12, 90, 16))
        trial.refuse_with(500)
        assert trial.run().status == "handed_over"
        assert ("worth_a_look" in trial.rows) == (contract == "stripe_v1")
        assert sends in (None, len(trial.recovery.operation.calls))


def test_a_wait_beyond_the_budget_is_not_begun_while_a_query_is_left() -> None:
    rules = KeyRules(retry_after_s=60)
    late = Planned("refund_order", "late_server", late_ns=600 * NS, wake=False)
    trial = Trial(Contract(name="slow", key=rules), (late,), Budget(20, 50, 30))
    assert trial.run().status == "handed_over"
    assert trial.rows == ["not_sent", "protected_by_key", "worth_a_look", "worth_a_look", "still_unknown"]


def test_one_row_can_be_changed_and_the_others_stay() -> None:
    table = changed(TABLE, "still_unknown", move=stop("not_done"))
    assert [row.name for row in table] == [row.name for row in TABLE]
    assert [new for new, old in zip(table, TABLE, strict=True) if new != old] == [
        next(row for row in table if row.name == "still_unknown")
    ]


def test_a_row_that_is_not_there_cannot_be_changed() -> None:
    with pytest.raises(KeyError, match="no row 'still_unknwon'; it has .*still_unknown"):
        changed(TABLE, "still_unknwon", move=stop("done"))
    with pytest.raises((TypeError, ValueError), match="mvoe"):  # TypeError since Python 3.13
        changed(TABLE, "still_unknown", mvoe=stop("done"))


def test_names_of_rows_are_unique() -> None:
    assert len({row.name for row in TABLE}) == len(TABLE)
