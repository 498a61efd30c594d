"""What may be done next, row by row of the table, and which code a send is charged with."""

from typing import Any

import pytest
from pasts import ALL, APPLIED, DAY_S, NOT_APPLIED, RICH, UNKNOWN, Past

from faultlab.core.clock import ns
from faultlab.core.entitled import Left, Move, entitled
from faultlab.core.profiles import PROFILES, contract_of
from faultlab.core.records import Reveal

SENDS = {Move.SEND_SAME_KEY, Move.SEND_UNKEYED, Move.REPEAT}


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
        (
            Past(contract_of("x", {"profile": "strict", "undisclosed": ["key.window_s"]})).send(0, UNKNOWN, "k1"),
            "undisclosed",
        ),
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


@pytest.mark.parametrize("status", [401, 421, 425, 429])
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
    assert past.code(past.call(10)) == "FL405"
    # Corrected it is another request.
    assert past.code(past.call(10, amount=2)) is None


def test_a_read_after_a_refusal_for_good_does_not_lift_it() -> None:
    past = Past("none").send(0, NOT_APPLIED, status=422).ask(1).ask(50)
    assert not past.now(60).permitted & SENDS
    assert past.code(past.call(60)) == "FL405"


def test_refused_for_want_of_authority() -> None:
    past = Past("none").send(0, NOT_APPLIED, status=403)
    may = past.now(10)
    assert not may.permitted & SENDS
    assert (may.productive, may.stops) == (set(), {"not_done", "handed_over", "refused"})
    assert past.code(past.call(10, amount=2)) == "FL405"


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
