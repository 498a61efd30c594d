"""What may be done next, row by row of the table, and what is still worth doing."""

from typing import Any

import pytest

from faultlab.core.agent import Budget
from faultlab.core.clock import NS, ns
from faultlab.core.contract import Contract
from faultlab.core.entitled import Entitlement, Left, Move, charge_send, entitled
from faultlab.core.knowledge import Knowledge, Operation
from faultlab.core.profiles import PROFILES, contract_of
from faultlab.core.records import Call, Outcome, Receipt, Reveal

DAY_S = 86_400
ALL = frozenset({Move.QUERY, Move.STATUS, Move.FENCE})
SENDS = {Move.SEND_SAME_KEY, Move.SEND_UNKEYED}
RICH = Budget(1000, 10.0 * DAY_S, 10_000.0)
APPLIED, NOT_APPLIED, UNKNOWN = Outcome.APPLIED, Outcome.NOT_APPLIED, Outcome.UNKNOWN
ABSENT = Reveal("pay", "A", None, (), "absent")


def terms(contract: str | Contract) -> Contract:
    return (PROFILES[contract] if isinstance(contract, str) else contract).disclosed()


class Past:
    """One operation's past, as a caller saw it."""

    def __init__(self, contract: str | Contract = "none") -> None:
        self.contract = terms(contract)
        self.knowledge = Knowledge(self.contract, lambda tool, identity: 1)
        self.sent = 0

    def call(self, at_s: float, key: str | None = None, reference: str | None = None, **more: Any) -> Call:
        args = {"id": "A", "amount": more.pop("amount", 1)}
        return Call(self.sent + 1, ns(at_s), "pay", "write", args, "A", key, reference, **more)

    def send(
        self, at_s: float, outcome: Outcome, key: str | None = None, status: int | None = None,
        headers: dict[str, str] | None = None, **more: Any,
    ) -> "Past":
        call = self.call(at_s, key, **more)
        self.sent += 1
        self.knowledge.see(call)
        if status is None:
            status = {APPLIED: 200, NOT_APPLIED: 422, UNKNOWN: 503}[outcome]
        self.knowledge.see(Receipt(call.n, call.t, outcome, status, {}, headers or {}))
        return self

    def ask(self, at_s: float, reveal: Reveal | None = ABSENT, kind: str = "read") -> "Past":
        """`reveal` None: no answer came."""
        self.sent += 1
        self.knowledge.see(Call(self.sent, ns(at_s), "ask", kind, {}))  # type: ignore[arg-type]  # one of the literals
        outcome = UNKNOWN if reveal is None else APPLIED
        told = reveal or (ABSENT if kind == "read" else Reveal("", "", "r1", (), "not_ready"))
        self.knowledge.see(Receipt(self.sent, ns(at_s) + 1, outcome, 200, {}, {}, None, (told,)))
        return self

    @property
    def operation(self) -> Operation | None:
        return self.knowledge.operations[0] if self.knowledge.operations else None

    def now(self, at_s: float, budget: Budget = RICH, calls: int | None = None, surfaces: Any = ALL) -> Entitlement:
        spent = self.sent if calls is None else calls
        return entitled(self.operation, self.contract, Left.of(budget, spent, ns(at_s)), frozenset(surfaces))

    def code(self, call: Call) -> str | None:
        assert self.operation is not None
        charge = charge_send(self.operation, call, self.contract)
        return None if charge is None else charge.code


# The rows of the table.


@pytest.mark.parametrize("contract", sorted(PROFILES))
def test_not_sent(contract: str) -> None:
    may = Past(contract).now(0)
    assert may.permitted >= SENDS
    assert (may.productive, may.stops) == ({Move.SEND_SAME_KEY}, set())


@pytest.mark.parametrize("contract", ["strict", "ietf", "stripe_v1"])
def test_unknown_under_a_key_that_is_honoured(contract: str) -> None:
    may = Past(contract).send(0, UNKNOWN, "k1").now(10)
    assert may.permitted & SENDS == {Move.SEND_SAME_KEY}
    assert Move.SEND_SAME_KEY in may.productive
    assert not may.stops


@pytest.mark.parametrize("contract", ["none", "status", "fence", "settle"])
def test_unknown_without_a_valid_key(contract: str) -> None:
    may = Past(contract).send(0, UNKNOWN, "k1", reference="r1").now(10)
    assert not may.permitted & SENDS
    assert may.permitted == ALL
    offered = {"status": {Move.STATUS}, "fence": {Move.FENCE}}.get(contract, set())
    assert may.productive == {Move.QUERY} | offered


@pytest.mark.parametrize(
    ("past", "why"),
    [
        (Past("strict").send(0, UNKNOWN), "sent without a key"),
        (Past("strict").send(0, UNKNOWN).send(1, UNKNOWN, "k1"), "one open call bears none"),
        (Past("strict").send(0, UNKNOWN, "k1").send(1, UNKNOWN, "k2"), "two keys are open"),
        (Past(contract_of("x", {"profile": "strict", "key": {"window_s": None}})).send(0, UNKNOWN, "k1"), "no window"),
        (Past(contract_of("x", {"profile": "strict", "undisclosed": ["key.window_s"]})).send(0, UNKNOWN, "k1"), "undisclosed"),
        (Past(contract_of("x", {"profile": "strict", "undisclosed": ["key"]})).send(0, UNKNOWN, "k1"), "undisclosed"),
    ],
)
def test_a_key_that_does_not_protect_every_open_call_permits_no_send(past: Past, why: str) -> None:
    assert not past.now(10).permitted & SENDS, why
    for key in (None, "k1", "k2"):
        assert past.code(past.call(10, key)) is not None


@pytest.mark.parametrize("contract", ["ietf", "stripe_v1", "strict"])
def test_the_window_ends_strictly_before_its_last_nanosecond(contract: str) -> None:
    past = Past(contract).send(100, UNKNOWN, "k1")
    for late_ns, inside in ((-1, True), (0, False)):
        at_ns = ns(100 + DAY_S) + late_ns
        may = entitled(past.operation, past.contract, Left.of(RICH, 1, at_ns), ALL)
        code = past.code(past.call(0, "k1")._replace(t=at_ns))
        if contract == "strict" and not inside:
            # An expired key that is refused: harmless, and useless.
            assert Move.SEND_SAME_KEY in may.permitted - may.productive
            assert code is None
        else:
            assert (Move.SEND_SAME_KEY in may.permitted, code) == ((True, None) if inside else (False, "FL304"))


def test_a_key_taken_after_a_refusal_has_a_window_of_its_own() -> None:
    past = Past("ietf").send(0, NOT_APPLIED, "k1", 429).send(DAY_S - 10, UNKNOWN, "k2")
    assert Move.SEND_SAME_KEY in past.now(DAY_S + 10).permitted
    assert past.code(past.call(DAY_S + 10, "k2")) is None


@pytest.mark.parametrize("status", [401, 421, 425, 428, 429])
def test_refused_for_a_passing_reason(status: int) -> None:
    past = Past("strict").send(0, NOT_APPLIED, "k1", status)
    may = past.now(10)
    assert may.permitted >= SENDS
    assert (may.productive, may.stops) == ({Move.SEND_SAME_KEY}, set())
    assert past.code(past.call(10, "k1")) is None


def test_a_status_that_the_contract_says_is_given_before_any_effect_is_passing() -> None:
    contract = contract_of("x", {"profile": "none", "rejects_before_effect": [503]})
    assert Past(contract).send(0, NOT_APPLIED, status=503).now(1).permitted >= SENDS


@pytest.mark.parametrize("status", [400, 404, 422])
def test_refused_for_good(status: int) -> None:
    past = Past("none").send(0, NOT_APPLIED, status=status)
    may = past.now(10)
    assert not may.permitted & SENDS
    assert (may.productive, may.stops) == (set(), {"not_done", "handed_over"})
    assert past.code(past.call(10)) == ""
    # Corrected it is another request.
    assert past.code(past.call(10, amount=2)) is None


def test_a_read_after_a_refusal_for_good_does_not_lift_it() -> None:
    past = Past("none").send(0, NOT_APPLIED, status=422).ask(1).ask(50)
    assert not past.now(60).permitted & SENDS
    assert past.code(past.call(60)) == ""


def test_refused_for_want_of_authority() -> None:
    past = Past("none").send(0, NOT_APPLIED, status=403)
    may = past.now(10)
    assert not may.permitted & SENDS
    assert (may.productive, may.stops) == (set(), {"not_done", "handed_over", "refused"})
    assert past.code(past.call(10, amount=2)) == ""


def test_not_applied_by_conclusive_evidence() -> None:
    past = Past("status").send(0, UNKNOWN, reference="r1").ask(1, Reveal("", "", "r1", (), "absent", True), "status")
    may = past.now(2)
    assert may.permitted >= SENDS
    assert (may.productive, may.stops) == ({Move.SEND_SAME_KEY}, set())


def test_own_drift_of_parameters_is_lifted_by_conclusive_evidence_on_the_first() -> None:
    past = Past("status").send(0, UNKNOWN, reference="r1").send(1, NOT_APPLIED, status=422, reference="r1", amount=2)
    past.ask(2, Reveal("", "", "r1", (), "absent", True), "status")
    assert past.now(3).permitted >= SENDS


@pytest.mark.parametrize("contract", ["none", "strict"])
def test_applied(contract: str) -> None:
    past = Past(contract).send(0, APPLIED, "k1")
    may = past.now(1)
    assert may == (ALL - {Move.FENCE}, set(), {"done"})
    assert past.code(past.call(1, "k1")) == ""


# Charges, in their order.


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"key": "k1"}, None),
        ({"key": "k1", "amount": 1.0}, None),
        ({"key": "k1", "amount": True}, "FL302"),
        ({"key": "k1", "if_match": "v1"}, "FL302"),
        ({"key": "k1", "amount": 2}, "FL302"),
        ({"key": "k1", "scope": "b"}, "FL303"),
        ({"key": "k1", "scope": "b", "amount": 2}, "FL303"),
        ({"key": "k1", "scope": "b", "amount": 2, "at_s": DAY_S}, "FL304"),
        ({"key": "k2"}, "FL301"),
        ({"key": "k2", "amount": 2}, "FL301"),
        ({"key": None}, "FL201"),
    ],
)
def test_exactly_one_code_is_charged_in_order(change: dict[str, Any], code: str | None) -> None:
    past = Past("ietf").send(0, UNKNOWN, "k1")
    change = dict(change)
    assert past.code(past.call(change.pop("at_s", 10), **change)) == code


def test_a_resend_is_charged_for_what_was_read_before_it() -> None:
    past = Past("none").send(0, UNKNOWN)
    assert past.code(past.call(1, "k1")) == "FL201"
    past.ask(2, None)
    assert past.code(past.call(3)) == "FL201"
    past.ask(4)
    assert past.code(past.call(5)) == "FL202"
    # A read from before the last unknown receipt is none.
    past.send(6, UNKNOWN)
    assert past.code(past.call(7)) == "FL201"


def test_a_key_may_be_used_again_after_a_refusal_before_execution() -> None:
    past = Past("stripe_v1").send(0, NOT_APPLIED, "k1", 400, amount="x").send(1, UNKNOWN, "k1", amount=2)
    assert past.code(past.call(2, "k1", amount=2)) is None


def test_a_condition_that_no_contract_honours_protects_nothing() -> None:
    past = Past("none").send(0, UNKNOWN, if_match="v1")
    assert past.code(past.call(1, if_match="v1")) == "FL201"


# What is productive.


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


@pytest.mark.parametrize(("reads_at_s", "productive"), [((), True), ((1,), True), ((1, 5.9), True), ((1, 6), False), ((1, 2, 6), False)])
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
