"""The fold: what receipts and reads prove about an operation, and what they do not, however often repeated."""

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faultlab.core.clock import NS, ns
from faultlab.core.contract import Contract
from faultlab.core.history import WriteTerms
from faultlab.core.knowledge import Knowledge
from faultlab.core.profiles import PROFILES, contract_of
from faultlab.core.records import Call, Outcome, Receipt, Reveal, Sight

SETTLE = PROFILES["settle"]
APPLIED, NOT_APPLIED, UNKNOWN = Outcome.APPLIED, Outcome.NOT_APPLIED, Outcome.UNKNOWN


class Story:
    """An attempt told event by event; every call takes a nanosecond and every receipt another."""

    def __init__(self, contract: str | Contract = "none", intended: int = 1) -> None:
        terms = PROFILES[contract] if isinstance(contract, str) else contract
        self.knowledge = Knowledge(terms, lambda tool, identity: intended)
        self.numbers: Iterator[int] = count(1)

    def send(self, at_s: float, outcome: Outcome | None, key: str | None = None, reference: str | None = None) -> int:
        n = next(self.numbers)
        self.knowledge.see(Call(n, ns(at_s), "pay", "write", {"id": "A"}, "A", key, reference))
        if outcome is not None:
            self.hear(n, at_s, outcome)
        return n

    def hear(self, n: int, at_s: float, outcome: Outcome, headers: dict[str, str] | None = None) -> None:
        status = {APPLIED: 200, NOT_APPLIED: 422, UNKNOWN: 503}[outcome]
        self.knowledge.see(Receipt(n, ns(at_s) + 1, outcome, status, {}, headers or {}))

    def ask(self, at_s: float, reveal: Reveal, kind: str = "read", outcome: Outcome = APPLIED) -> None:
        n = next(self.numbers)
        started = at_s if isinstance(at_s, int) and at_s > NS else ns(at_s)
        self.knowledge.see(Call(n, started, "ask", kind, {}))  # type: ignore[arg-type]  # one of the literals
        self.knowledge.see(Receipt(n, started + 1, outcome, 200, {}, {}, None, (reveal,)))

    def look(self, at_s: float, *shown: str | None, fresh: bool = True) -> None:
        self.ask(at_s, Reveal("pay", "A", None, shown, "present" if shown else "absent", fresh=fresh))

    def state(self, at_s: float, handle: str, answer: Any, definitive: bool = True, kind: str = "status") -> None:
        self.ask(at_s, Reveal("", "", handle, (), answer, definitive), kind)

    @property
    def known(self) -> list[Outcome | None]:
        return [item.knowledge for item in self.knowledge.operations]


def test_what_was_applied_stays_applied() -> None:
    story = Story("status")
    story.send(0, APPLIED, reference="r1")
    story.send(1, NOT_APPLIED, reference="r1")
    story.send(2, UNKNOWN, reference="r1")
    story.state(3, "r1", "absent")
    story.look(1000)
    assert story.known == [APPLIED]


def test_a_call_without_a_receipt_yet_is_unknown() -> None:
    story = Story()
    story.send(0, None)
    assert story.known == [UNKNOWN]


@pytest.mark.parametrize("contract", sorted(PROFILES))
def test_a_refusal_settles_the_call_that_it_answers_and_no_earlier_one(contract: str) -> None:
    story = Story(contract)
    story.send(0, UNKNOWN, "k1", "r1")
    story.send(1, NOT_APPLIED, "k1", "r1")
    assert story.known == [UNKNOWN]
    alone = Story(contract)
    alone.send(0, NOT_APPLIED, "k1", "r1")
    assert alone.known == [NOT_APPLIED]


@pytest.mark.parametrize(
    ("contract", "known"), [("stripe_v1", NOT_APPLIED), ("strict", NOT_APPLIED), ("ietf", UNKNOWN)]
)
def test_a_replayed_refusal_settles_every_call_under_its_key(contract: str, known: Outcome) -> None:
    story = Story(contract)
    story.send(0, UNKNOWN, "k1")
    second = story.send(1, None, "k1")
    story.hear(second, 1, NOT_APPLIED, {"idempotent-replayed": "true"})
    assert story.known == [known]


def test_a_replayed_refusal_says_nothing_of_another_key() -> None:
    story = Story("strict")
    story.send(0, UNKNOWN, "k1")
    second = story.send(1, None, "k2")
    story.hear(second, 1, NOT_APPLIED, {"idempotent-replayed": "true"})
    assert story.known == [UNKNOWN]


def test_a_definitive_not_found_settles_earlier_calls_with_its_handle_only() -> None:
    story = Story("status")
    story.send(0, UNKNOWN, reference="r1")
    story.send(1, UNKNOWN, reference="r2")
    story.state(2, "r1", "absent")
    assert story.known == [UNKNOWN]
    story.state(3, "r2", "absent")
    assert story.known == [NOT_APPLIED]
    story.send(4, UNKNOWN, reference="r1")
    assert story.known == [UNKNOWN]


def test_a_query_begun_before_a_call_says_nothing_of_it() -> None:
    story = Story("status")
    asked = next(story.numbers)
    story.knowledge.see(Call(asked, 0, "ask", "status", {}))
    story.send(0, UNKNOWN, reference="r1")
    reveal = Reveal("", "", "r1", (), "absent", True)
    story.knowledge.see(Receipt(asked, NS, APPLIED, 200, {}, {}, None, (reveal,)))
    assert story.known == [UNKNOWN]


@pytest.mark.parametrize(
    ("answer", "definitive"), [("not_ready", True), ("not_ready", False), ("absent", False), ("fenced", False)]
)
def test_other_answers_of_a_query_settle_nothing(answer: str, definitive: bool) -> None:
    story = Story("status" if answer == "absent" else "cooperative")
    story.send(0, UNKNOWN, reference="r1")
    for at_s in (1, 10, 100):
        story.state(at_s, "r1", answer, definitive and answer != "not_ready")
    assert story.known == [UNKNOWN]


def test_a_durable_fence_settles_and_is_remembered_as_a_tombstone() -> None:
    story = Story("fence")
    story.send(0, UNKNOWN, reference="r1")
    story.state(1, "r1", "fenced", kind="fence")
    assert story.known == [NOT_APPLIED]
    assert story.knowledge.operations[0].tombs == {"r1"}
    # A resend takes a new reference and is the same operation.
    story.send(2, UNKNOWN, reference="r2")
    assert story.known == [UNKNOWN]


def test_an_effect_under_the_own_handle_proves_it_and_one_under_another_does_not() -> None:
    story = Story()
    story.send(0, UNKNOWN, reference="r1")
    story.look(1, None, "r2")
    assert story.known == [UNKNOWN]
    story.look(2, "r2", "r1")
    assert story.known == [APPLIED]


@pytest.mark.parametrize(("writers", "known"), [("one", APPLIED), ("many", UNKNOWN)])
def test_an_effect_without_a_handle_proves_it_only_where_nobody_else_writes(writers: str, known: Outcome) -> None:
    story = Story(contract_of("x", {"profile": "none", "writers": writers}))
    story.send(0, UNKNOWN, reference="r1")
    story.look(1, None)
    assert story.known == [known]


@pytest.mark.parametrize("at_s", [1, 31, 4000])
def test_absence_proves_nothing_where_no_settle_time_is_stated(at_s: float) -> None:
    for contract in (
        "none",
        "cooperative",
        "strict",
        contract_of("x", {"profile": "settle", "consistent_reads": False}),
    ):
        story = Story(contract)
        story.send(0, UNKNOWN, reference="r1")
        for more in range(5):
            story.look(at_s + more)
        assert story.known == [UNKNOWN]


@pytest.mark.parametrize(
    ("lag_s", "early_ns", "known"), [(0, 0, NOT_APPLIED), (0, 1, UNKNOWN), (5, 0, NOT_APPLIED), (5, 1, UNKNOWN)]
)
def test_absence_is_conclusive_exactly_from_the_end_of_the_settle_time(
    lag_s: float, early_ns: int, known: Outcome
) -> None:
    story = Story(contract_of("x", {"profile": "settle", "read_lag_s": lag_s}))
    story.send(2, UNKNOWN, reference="r1")
    moment = ns(2 + 30 + lag_s) - early_ns
    story.ask(moment, Reveal("pay", "A", None, (), "absent"))
    assert story.known == [known]


def test_the_settle_time_counts_from_the_last_send() -> None:
    story = Story(SETTLE)
    story.send(0, UNKNOWN, reference="r1")
    story.send(20, UNKNOWN, reference="r1")
    story.look(31)
    assert story.known == [UNKNOWN]
    story.look(50)
    assert story.known == [NOT_APPLIED]


def test_a_partial_or_stale_list_is_no_proof_of_absence() -> None:
    story = Story(SETTLE)
    story.send(0, UNKNOWN, reference="r1")
    story.look(60, fresh=False)
    assert story.known == [UNKNOWN]


def test_a_settled_list_of_others_effects_proves_the_own_absent_unless_one_is_unnamed() -> None:
    for shown, known in ((("r9",), NOT_APPLIED), (("r9", None), UNKNOWN)):
        story = Story(SETTLE)
        story.send(0, UNKNOWN, reference="r1")
        story.look(60, *shown)
        assert story.known == [known]


def test_a_read_that_was_not_answered_tells_nothing() -> None:
    story = Story("status")
    story.send(0, UNKNOWN, reference="r1")
    for outcome in (UNKNOWN, NOT_APPLIED):
        story.ask(40, Reveal("", "", "r1", ("r1",), "present", True), "status", outcome)
        story.ask(40, Reveal("", "", "r1", (), "absent", True), "status", outcome)
    assert story.known == [UNKNOWN]


def test_a_new_handle_opens_a_second_operation_only_where_two_are_wanted() -> None:
    for intended, known in ((1, [UNKNOWN]), (2, [UNKNOWN, UNKNOWN])):
        story = Story(intended=intended)
        for reference in ("r1", "r2", "r1"):
            story.send(0, UNKNOWN, reference=reference)
        assert story.known == known
    labels = [item.label for item in story.knowledge.operations]
    assert labels == ["pay(A)", "pay(A)#2"]


outcomes = st.sampled_from([APPLIED, NOT_APPLIED, UNKNOWN])
events = st.lists(
    st.one_of(
        st.tuples(st.just("send"), outcomes, st.sampled_from([None, "r1", "r2"])),
        st.tuples(st.just("list"), st.sampled_from([(), ("r1",), ("r9",), (None,)]), st.none()),
        st.tuples(st.just("status"), st.sampled_from(["absent", "not_ready"]), st.sampled_from(["r1", "r2"])),
    ),
    max_size=10,
)


@given(st.sampled_from(["none", "status", "settle", "strict"]), events)
def test_knowledge_never_leaves_applied_and_asking_before_a_send_changes_nothing(
    contract: str, script: list[Any]
) -> None:
    story = Story(contract)
    applied = False
    for at_s, (kind, what, handle) in enumerate(script):
        if kind == "send":
            story.send(at_s, what, reference=handle)
        elif kind == "list":
            story.look(at_s, *what)
        else:
            story.state(at_s, handle, what, contract == "status" and what == "absent")
        assert len(story.known) <= 1
        applied = applied or story.known == [APPLIED]
        assert not applied or story.known == [APPLIED]
    if not any(kind == "send" for kind, _, _ in script):
        assert story.known == []


def test_a_call_for_a_list_is_one_operation_an_item_and_its_207_is_folded_item_by_item() -> None:
    knowledge = Knowledge(PROFILES["none"], lambda tool, identity: 1)
    knowledge.see(Call(1, 0, "pay_all", "write", {}, "A; B; C", reference="r1", items=("A", "B", "C")))
    lines = [{"status": 201}, {"status": 422}, {"status": 503}]
    knowledge.see(Receipt(1, 9, UNKNOWN, 207, {"items": lines}))
    assert [item.label for item in knowledge.operations] == ["pay_all(A)", "pay_all(B)", "pay_all(C)"]
    assert [item.knowledge for item in knowledge.operations] == [APPLIED, NOT_APPLIED, UNKNOWN]
    assert [operation.label for operation in knowledge.meant(1)] == ["pay_all(A)", "pay_all(B)", "pay_all(C)"]


@pytest.mark.parametrize(
    ("status", "body", "known"),
    [(207, {"items": [{"status": 201}]}, UNKNOWN), (503, {}, UNKNOWN), (422, {}, NOT_APPLIED), (207, {}, UNKNOWN)],
)
def test_an_answer_that_does_not_tell_the_items_apart_is_the_answer_for_each(
    status: int, body: Any, known: Outcome
) -> None:
    knowledge = Knowledge(PROFILES["none"], lambda tool, identity: 1)
    knowledge.see(Call(1, 0, "pay_all", "write", {}, "A; B", items=("A", "B")))
    knowledge.see(Receipt(1, 9, known, status, body))
    assert [item.knowledge for item in knowledge.operations] == [known, known]


def test_a_list_says_of_a_promise_that_failed_which_one_it_was() -> None:
    for shown, known in ((("r1",), NOT_APPLIED), (("r9",), UNKNOWN), ((), UNKNOWN)):
        story = Story()
        story.send(0, UNKNOWN, reference="r1")
        story.ask(5, Reveal("pay", "A", None, shown, "failed"))
        assert story.known == [known]


def test_only_a_fresh_page_is_a_look_at_the_thing() -> None:
    """What a cache kept may be older than the last call, whenever it was asked for."""
    terms = WriteTerms(("id",), versioned=("pages", "id"))
    for fresh in (True, False):
        knowledge = Knowledge(PROFILES["precondition"], lambda tool, identity: 1, {"put": terms})
        operation = knowledge.see_call(Call(1, 1, "put", "write", {"id": "A"}, "A", None, None, '"1"'))
        assert operation is not None
        knowledge.see(Call(2, 5, "get", "read", {"id": "A"}))
        knowledge.see(Receipt(2, 6, APPLIED, 200, {}, {}, None, (), (Sight("pages/A", 2, fresh),)))
        assert operation.looked_ns == (5 if fresh else -1)
