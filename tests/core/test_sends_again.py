"""The ways to send an operation once more, and what each of them rests on."""

from dataclasses import replace

import pytest
from pasts import ALL, APPLIED, DAY_S, NOT_APPLIED, UNKNOWN, Past

from faultlab.core.agent import Budget
from faultlab.core.contract import Contract, KeyRules
from faultlab.core.entitled import SENDS, Move
from faultlab.core.history import WriteTerms
from faultlab.core.profiles import PROFILES, contract_of
from faultlab.core.records import Outcome, Reveal

BILL = WriteTerms(("id",), versioned=("bills", "id"))
CONDITIONAL = Contract(name="c", precondition="honoured")
V1 = '"1"'
OURS = Reveal("pay", "A", None, ("r1",), "present")
THEIRS = Reveal("pay", "A", None, ("r9",), "present")
MISMATCH = {"code": "key_mismatch"}
SET = WriteTerms(("id",), idempotent=True)
ALONE = Contract(name="a", writers="one")


def lost(at_s: float = 0, **more: str) -> Past:
    return Past(CONDITIONAL, BILL).send(at_s, UNKNOWN, error="ReadTimeout", if_match=V1, reference="r1", **more)


# Conditional writes.


def test_the_same_conditional_write_may_be_repeated() -> None:
    past = lost()
    may = past.now(5)
    assert may.permitted & SENDS == {Move.REPEAT}
    assert Move.REPEAT in may.productive
    assert past.code(past.call(5, reference="r1", if_match=V1)) is None
    # Another one, or none, is another write.
    assert past.code(past.call(5, reference="r1", if_match='"2"')) == "FL201"
    assert past.code(past.call(5, reference="r1")) == "FL201"
    assert past.code(past.call(5, reference="r1", if_match=V1, amount=2)) == "FL201"


@pytest.mark.parametrize("condition", ["*", 'W/"1"', '"1", "2"', "1"])
def test_only_a_single_strong_tag_makes_a_write_safe_to_repeat(condition: str) -> None:
    past = Past(CONDITIONAL, BILL).send(0, UNKNOWN, if_match=condition)
    assert not past.now(5).permitted & SENDS
    assert past.code(past.call(5, if_match=condition)) == "FL201"


def test_where_no_version_is_obeyed_a_condition_protects_nothing() -> None:
    for past in (Past("none", BILL), Past(CONDITIONAL, WriteTerms(("id",)))):
        past.send(0, UNKNOWN, if_match=V1)
        assert not past.now(5).permitted & SENDS
        assert past.code(past.call(5, if_match=V1)) == "FL201"


def test_after_another_version_was_named_too_no_repetition_is_safe() -> None:
    past = lost().send(1, UNKNOWN, if_match='"2"', reference="r1")
    assert not past.now(5).permitted & SENDS


def test_a_412_on_the_repetition_is_no_answer_to_the_first_and_ends_the_use_of_repeating() -> None:
    past = lost().send(5, NOT_APPLIED, status=412, if_match=V1, reference="r1")
    assert past.operation is not None
    assert past.operation.knowledge is UNKNOWN
    may = past.now(6)
    assert Move.REPEAT in may.permitted - may.productive
    assert Move.QUERY in may.productive


def test_own_mark_on_a_later_version_proves_the_write_and_anothers_on_each_step_disproves_it() -> None:
    for shown, version, known in (
        (OURS, 2, APPLIED),
        (THEIRS, 2, NOT_APPLIED),
        (THEIRS, 1, UNKNOWN),
        (THEIRS, 3, UNKNOWN),  # whose was version 2?
        (THEIRS._replace(shown=("r8", "r9")), 3, NOT_APPLIED),
        (THEIRS._replace(shown=(None,)), 2, NOT_APPLIED),
        (THEIRS._replace(fresh=False), 2, UNKNOWN),
    ):
        past = lost().ask(3, shown, version=version)
        assert past.operation is not None
        assert past.operation.knowledge is known, (shown, version)


def test_a_change_that_bears_no_mark_may_be_ones_own_where_none_was_given() -> None:
    past = Past(CONDITIONAL, BILL).send(0, UNKNOWN, if_match=V1).ask(3, THEIRS._replace(shown=(None,)), version=2)
    assert past.operation is not None
    assert past.operation.knowledge is UNKNOWN


@pytest.mark.parametrize(("version", "known"), [(1, UNKNOWN), (2, APPLIED)])
def test_where_nobody_else_writes_a_later_version_is_ones_own(version: int, known: Outcome) -> None:
    contract = Contract(name="c", precondition="honoured", writers="one")
    past = Past(contract, BILL).send(0, UNKNOWN, if_match=V1)
    past.ask(3, THEIRS._replace(shown=(None,)), version=version)
    assert past.operation is not None
    assert past.operation.knowledge is known


def test_a_412_at_the_first_try_wants_a_look_and_forbids_the_same_again() -> None:
    past = Past(CONDITIONAL, BILL).send(0, NOT_APPLIED, status=412, if_match=V1, reference="r1")
    may = past.now(1)
    assert (may.productive, may.stops) == ({Move.QUERY}, set())
    assert past.code(past.call(1, reference="r1", if_match=V1)) == "FL405"
    assert past.code(past.call(1, reference="r1", if_match='"2"')) is None
    past.ask(2, THEIRS, version=2)
    may = past.now(3)
    assert (may.productive, may.stops) == (set(), {"not_done", "handed_over"})
    # Nothing to look at: there is nothing to wait for either.
    blind = Past(CONDITIONAL, BILL).send(0, NOT_APPLIED, status=412, if_match=V1)
    assert not blind.now(1, surfaces=()).productive


def test_a_428_asks_for_a_condition() -> None:
    past = Past(Contract(name="c", precondition="required"), BILL).send(0, NOT_APPLIED, status=428)
    assert past.now(1).productive == {Move.SEND_SAME_KEY}
    assert past.code(past.call(1)) == "FL405"
    assert past.code(past.call(1, if_match=V1)) is None


# Tools that say they are idempotent.


def test_an_idempotent_tool_may_be_called_again_where_nobody_else_writes() -> None:
    past = Past(ALONE, SET).send(0, UNKNOWN, reference="r1")
    may = past.now(5)
    assert may.permitted & SENDS == {Move.SEND_SAME_KEY, Move.SEND_UNKEYED} == may.productive & SENDS
    assert past.code(past.call(5, reference="r1")) is None
    assert past.code(past.call(5, reference="r1", amount=2)) == "FL201"


@pytest.mark.parametrize("past", [Past("none", SET), Past(ALONE), Past(ALONE, SET).send(0, UNKNOWN, amount=2)])
def test_with_other_writers_or_other_parameters_on_their_way_it_may_not(past: Past) -> None:
    past.send(1, UNKNOWN)
    assert not past.now(5).permitted & SENDS
    assert past.code(past.call(5)) == "FL201"


# Keys.


def test_a_key_in_another_scope_has_no_protection() -> None:
    past = Past("ec2").send(0, UNKNOWN, "k1", scope="r1")
    assert past.code(past.call(5, "k1", scope="r1")) is None
    assert past.code(past.call(5, "k1", scope="r2")) == "FL303"
    assert past.code(past.call(5, "k2", scope="r2")) == "FL303"
    assert past.code(past.call(5, scope="r2")) == "FL201"
    both = past.send(6, UNKNOWN, "k1", scope="r2")
    assert not both.now(7).permitted & SENDS


def test_what_is_read_in_one_place_says_nothing_of_another() -> None:
    past = Past("settle").send(0, UNKNOWN, scope="r1", reference="r1").ask(60, scope="r2")
    assert past.operation is not None
    assert past.operation.knowledge is UNKNOWN
    assert not past.operation.reads
    past.ask(61, scope="r1")
    assert past.operation.knowledge is NOT_APPLIED


def test_a_failure_that_gives_the_key_free_ends_its_protection_and_a_lost_receipt_does_not() -> None:
    past = Past("powertools").send(0, UNKNOWN, "k1", error="ReadTimeout")
    assert Move.SEND_SAME_KEY in past.now(1).productive
    past.send(2, UNKNOWN, "k1", 500)
    assert not past.now(3).permitted & SENDS
    assert past.code(past.call(3, "k1")) == "FL201"
    assert past.ask(4).code(past.call(5, "k1")) == "FL202"


def test_a_lease_is_the_end_of_a_window() -> None:
    past = Past(Contract(name="l", key=KeyRules(lease_s=60.0))).send(0, UNKNOWN, "k1")
    assert past.code(past.call(59.9, "k1")) is None
    assert past.code(past.call(60, "k1")) == "FL304"
    rejecting = Past(Contract(name="l", key=KeyRules(lease_s=60.0, on_expired="reject"))).send(0, UNKNOWN, "k1")
    assert rejecting.code(rejecting.call(2 * DAY_S, "k1")) == "FL304"


def test_a_retry_header_overrides_the_status() -> None:
    said = {"stripe-should-retry": "false"}
    past = Past("stripe_v1").send(0, UNKNOWN, "k1", 503, said)
    may = past.now(1)
    assert Move.SEND_SAME_KEY in may.permitted - may.productive
    assert Move.QUERY in may.productive
    # 429 passes, unless the server says otherwise; a saved 500 does not, unless it says otherwise.
    assert not Past("stripe_v1").send(0, NOT_APPLIED, "k1", 429, said).now(1).permitted & SENDS
    told = Past("stripe_v1").send(0, UNKNOWN, "k1", 500, {"stripe-should-retry": "true"})
    assert Move.SEND_SAME_KEY in told.now(1).productive
    assert Past("adyen").send(0, NOT_APPLIED, "k1", 422, {"transient-error": "true"}).now(1).permitted >= SENDS
    # Of a profile without such a header it means nothing.
    assert Move.SEND_SAME_KEY in Past("strict").send(0, UNKNOWN, "k1", 503, said).now(1).productive


def test_a_failure_saved_under_the_key_is_not_forgotten_when_a_later_receipt_is_lost() -> None:
    past = Past("ietf").send(0, UNKNOWN, "k1", 500).send(1, UNKNOWN, "k1", error="ReadTimeout")
    may = past.now(2)
    assert Move.SEND_SAME_KEY in may.permitted - may.productive


def test_an_expired_key_that_was_refused_is_replaced_and_not_repeated() -> None:
    past = Past("oasis").send(0, NOT_APPLIED, "k1", 412, body={"error": {"code": "key_expired"}})
    assert past.now(1).productive == {Move.SEND_SAME_KEY}
    assert past.code(past.call(1, "k1")) == "FL405"
    assert past.code(past.call(1, "k2")) is None


# A key that somebody has used before.


def test_a_mismatch_that_nobody_can_explain_is_not_settled_by_another_key() -> None:
    past = Past("strict").send(0, NOT_APPLIED, "k1", 422, body=MISMATCH)
    may = past.now(1)
    assert not may.permitted & SENDS
    assert (may.productive, may.stops) == ({Move.QUERY}, set())
    assert past.code(past.call(1, "k1")) == "FL302"
    assert past.code(past.call(1, "k2")) == "FL301"
    past.ask(2).ask(9)
    assert past.now(10).stops == {"handed_over"}


def test_an_answer_that_shows_the_key_to_be_anothers_frees_the_operation_for_a_new_one() -> None:
    contract = replace(PROFILES["strict"], status=True)
    past = Past(contract).send(0, NOT_APPLIED, "k1", 422, body=MISMATCH)
    past.ask(1, Reveal("pay", "B", "k1", ("k1",), "present", True), "status")
    assert past.operation is not None
    assert past.operation.knowledge is NOT_APPLIED
    assert past.now(2).productive == {Move.SEND_SAME_KEY}
    assert past.code(past.call(2, "k1")) == "FL405"
    assert past.code(past.call(2, "k2")) is None


def test_an_answer_that_shows_the_key_to_be_ones_own_proves_what_was_done() -> None:
    contract = replace(PROFILES["strict"], status=True)
    past = Past(contract).send(0, NOT_APPLIED, "k1", 422, body=MISMATCH)
    past.ask(1, Reveal("pay", "A", "k1", ("k1",), "present", True), "status")
    assert past.now(2).stops == {"done"}


def test_ones_own_drift_is_no_mystery_the_first_parameters_may_be_sent_again() -> None:
    past = Past("strict").send(0, UNKNOWN, "k1", error="ReadTimeout")
    past.send(1, NOT_APPLIED, "k1", 422, body=MISMATCH, amount=2)
    assert Move.SEND_SAME_KEY in past.now(2).productive
    assert past.code(past.call(2, "k1")) is None
    assert past.code(past.call(2, "k1", amount=2)) == "FL302"
    assert past.code(past.call(2, "k2", amount=2)) == "FL301"


# Accepted, and followed to its end.


@pytest.mark.parametrize("status", [200, 202])
def test_what_was_accepted_is_asked_about_and_not_sent_again(status: int) -> None:
    contract = replace(PROFILES["strict"], status=True)
    past = Past(contract).send(0, UNKNOWN, "k1", status, body={"state": "accepted", "operation": "job-7"})
    may = past.now(1)
    assert Move.SEND_SAME_KEY in may.permitted - may.productive
    assert may.productive == {Move.QUERY, Move.STATUS}
    # A lost receipt is another matter: a resend tells whether it was accepted.
    assert Move.SEND_SAME_KEY in Past(contract).send(0, UNKNOWN, "k1", error="ReadTimeout").now(1).productive


@pytest.mark.parametrize("handle", ["k1", "job-7"])
@pytest.mark.parametrize(("retryable", "sends"), [(False, set()), (True, set(SENDS))])
def test_a_promise_that_failed_for_good_is_asked_for_again_only_where_the_tool_says_so(
    handle: str, retryable: bool, sends: set[Move]
) -> None:
    declared = WriteTerms(("id",), provisional=True, retryable=retryable)
    past = Past(replace(PROFILES["strict"], status=True), declared)
    past.send(0, UNKNOWN, "k1", 202, body={"operation": "job-7"})
    past.ask(5, Reveal("", "", handle, (), "not_ready"), "status")
    assert Move.STATUS in past.now(6).productive
    past.ask(10, Reveal("", "", handle, (), "failed", True), "status")
    may = past.now(11)
    assert may.permitted & SENDS == sends
    assert bool(may.productive) == retryable
    assert (past.code(past.call(11, "k2")) is None) == retryable
    assert past.code(past.call(11, "k2", amount=2)) is None


# Starts from a crash.


def test_a_call_whose_caller_died_is_unknown_and_older_reads_do_not_count() -> None:
    past = Past("none").send(0, UNKNOWN).ask(1).ask(7)
    assert not past.now(8).productive
    past.died(9)
    assert past.operation is not None
    assert past.operation.knowledge is UNKNOWN
    assert past.now(10).productive == {Move.QUERY}
    assert past.code(past.call(10)) == "FL201"


def test_a_surface_that_asks_for_a_wait_is_not_asked_before_and_not_beyond_the_budget() -> None:
    past = Past("none").send(0, UNKNOWN).ask(1, None, headers={"retry-after": "30"})
    assert Move.QUERY in past.now(2, Budget(seconds=60)).productive
    assert Move.QUERY not in past.now(2, Budget(seconds=31)).productive


def test_a_tool_may_state_its_own_poll_interval() -> None:
    past = Past("none", WriteTerms(("id",), poll_s=20.0)).send(0, UNKNOWN).ask(1).ask(7)
    assert Move.QUERY in past.now(8).productive
    assert Move.QUERY not in past.ask(21).now(22).productive


def test_applied_permits_nothing_but_looking() -> None:
    for past in (Past(CONDITIONAL, BILL), Past(ALONE, SET), Past("strict")):
        past.send(0, APPLIED, if_match=V1)
        assert past.now(1) == (ALL - {Move.FENCE}, set(), {"done"})
        assert past.code(past.call(1, if_match=V1)) == ""


def test_an_undisclosed_window_is_no_window() -> None:
    contract = contract_of("x", {"profile": "stripe_v2", "undisclosed": ["key.window_s"]})
    past = Past(contract).send(0, UNKNOWN, "k1")
    assert past.code(past.call(1, "k1")) == "FL304"
