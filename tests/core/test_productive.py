"""Which moves are still worth a call, at the edges of budgets, waits and surfaces."""

import pytest
from pasts import NOT_APPLIED, UNKNOWN, Past

from faultlab.core.agent import Budget
from faultlab.core.clock import NS
from faultlab.core.entitled import Left, Move
from faultlab.core.records import Outcome, Reveal

SENDS = {Move.SEND_SAME_KEY, Move.SEND_UNKEYED}


def test_a_call_must_leave_what_a_hand_over_costs() -> None:
    past = Past("strict").send(0, UNKNOWN, "k1")
    assert past.now(0, Budget(calls=10, cost=10.0), calls=5).productive == {Move.SEND_SAME_KEY, Move.QUERY}
    spent = past.now(0, Budget(calls=10, cost=10.0), calls=6)
    assert (spent.productive, spent.stops) == (set(), {"handed_over"})


def test_the_last_call_of_a_budget_is_productive_and_no_further_one() -> None:
    past = Past("strict").send(0, UNKNOWN, "k1")
    assert past.now(0, Budget(calls=5, cost=100.0), calls=4).productive
    assert not past.now(0, Budget(calls=5, cost=100.0), calls=5).productive
    assert past.now(9.99, Budget(seconds=10.0)).productive
    assert not past.now(10, Budget(seconds=10.0)).productive


def test_without_budget_nothing_sent_may_end_as_not_done_or_handed_over() -> None:
    may = Past().now(0, Budget(calls=0))
    assert (may.productive, may.stops) == (set(), {"not_done", "handed_over"})


@pytest.mark.parametrize(("outcome", "status"), [(UNKNOWN, 409), (NOT_APPLIED, 429)])
@pytest.mark.parametrize(("header", "productive"), [("20", True), ("21", False), ("soon", True)])
def test_a_stated_wait_beyond_the_budget_is_not_productive(
    outcome: Outcome, status: int, header: str, productive: bool
) -> None:
    past = Past("strict").send(79, outcome, "k1", status, {"retry-after": header})
    may = past.now(80, Budget(seconds=99.5), surfaces=())
    assert may.permitted >= {Move.SEND_SAME_KEY}
    assert bool(may.productive) == productive


@pytest.mark.parametrize(("contract", "productive"), [("stripe_v1", False), ("ietf", False), ("strict", True)])
def test_a_saved_500_makes_the_resend_useless(contract: str, productive: bool) -> None:
    may = Past(contract).send(0, UNKNOWN, "k1", 500).now(1)
    assert Move.SEND_SAME_KEY in may.permitted
    assert (Move.SEND_SAME_KEY in may.productive) == productive


@pytest.mark.parametrize(
    ("reads_at_s", "productive"), [((), True), ((1,), True), ((1, 5.9), True), ((1, 6), False), ((1, 2, 6), False)]
)
def test_two_reads_a_poll_interval_apart_are_all_that_a_list_can_tell(
    reads_at_s: tuple[float, ...], productive: bool
) -> None:
    past = Past("none").send(0, UNKNOWN)
    for at_s in reads_at_s:
        past.ask(at_s)
    may = past.now(10)
    assert (Move.QUERY in may.productive) == productive
    assert may.stops == (set() if productive else {"handed_over"})


def test_with_a_settle_time_reading_is_productive_until_one_read_is_conclusive() -> None:
    past = Past("settle").send(0, UNKNOWN, reference="r1")
    for at_s in (1, 6, 12, 29):
        past.ask(at_s)
    assert Move.QUERY in past.now(29.5).productive
    assert Move.QUERY not in past.now(29.5, Budget(seconds=30)).productive
    assert past.ask(30).now(31).permitted >= SENDS


@pytest.mark.parametrize(
    ("failures_at_s", "worn"),
    [((1, 2), False), ((1, 2, 3), False), ((1, 2, 4), True), ((1, 3, 4), False), ((1, 2, 4, 5), True)],
)
@pytest.mark.parametrize("move", [Move.QUERY, Move.STATUS])
def test_a_surface_that_failed_three_times_with_growing_waits_is_worn_out(
    failures_at_s: tuple[int, ...], worn: bool, move: Move
) -> None:
    past = Past("status").send(0, UNKNOWN, reference="r1")
    for at_s in failures_at_s:
        past.ask(at_s, None, "read" if move is Move.QUERY else "status")
    may = past.now(10)
    assert (move in may.productive) != worn
    assert may.productive
    assert move in may.permitted


def test_a_status_query_is_productive_until_it_answers_for_every_open_call() -> None:
    nameless = Past("status").send(0, UNKNOWN)
    assert nameless.now(1).productive == {Move.QUERY}
    past = Past("status").send(0, UNKNOWN, reference="r1").ask(1, Reveal("", "", "r1", (), "not_ready"), "status")
    assert Move.STATUS in past.now(2).productive
    two = Past("status").send(0, UNKNOWN).send(1, UNKNOWN, reference="r1")
    two.ask(2, Reveal("", "", "r1", (), "absent", True), "status")
    assert Move.STATUS not in two.now(3).productive


def test_a_cooperative_fence_is_permitted_and_tells_nothing() -> None:
    may = Past("cooperative").send(0, UNKNOWN, reference="r1").now(1)
    assert Move.FENCE in may.permitted - may.productive


def test_left_counts_calls_and_their_cost() -> None:
    assert Left.of(Budget(calls=20, cost=30.0, seconds=2.5), 3, 7) == (17, 27.0, 7, 5 * NS // 2)
