"""Refusals, their waits, and who answers for an effect that the network or somebody else made."""

from dataclasses import replace
from email.utils import parsedate_to_datetime
from typing import Any

import pytest
from labs import REFUND, Step, drain, fault, lab, named, play

from faultlab.core.clock import EPOCH_S
from faultlab.core.records import Receipt
from faultlab.faults.refusal import problem

KEYED = replace(REFUND, key="k-1", reference="r-1")


def header_of(form: str, wait_s: float, rest_s: float = 0.0) -> Any:
    session = lab("none", named("throttled", given={"retry_after": form, "wait_s": wait_s}))
    play("direct", session, [replace(REFUND, rest_s=rest_s)])
    receipt = session.events[-1]
    assert type(receipt) is Receipt and receipt.status == 429
    return receipt.headers


@pytest.mark.parametrize(
    ("form", "headers"),
    [
        ("seconds", {"retry-after": "3"}),
        ("zero", {"retry-after": "0"}),
        ("negative", {"retry-after": "-3"}),
        ("absent", {}),
        ("milliseconds", {"retry-after-ms": "2500"}),
    ],
)
def test_the_forms_of_retry_after(form: str, headers: dict[str, str]) -> None:
    assert header_of(form, 2.5) == headers


def test_retry_after_as_a_date_is_a_moment_of_the_callers_clock() -> None:
    headers = header_of("date", 20.0, rest_s=100.0)
    assert parsedate_to_datetime(headers["retry-after"]).timestamp() == EPOCH_S + 120
    assert parsedate_to_datetime(headers["date"]).timestamp() == EPOCH_S + 100


def test_garbage_is_neither_a_number_nor_a_date() -> None:
    text = header_of("garbage", 2.0)["retry-after"]
    with pytest.raises(ValueError, match="could not convert"):
        float(text)
    with pytest.raises(ValueError, match="date"):
        parsedate_to_datetime(text)


def test_a_quota_names_the_end_of_its_window() -> None:
    session = lab("none", named("quota", given={"until_s": 100.0}, during_ns=(0, 100 * 10**9)))
    play("direct", session, [replace(REFUND, rest_s=30.5), replace(REFUND, rest_s=69.5)])
    first, second = [event for event in session.events if type(event) is Receipt]
    assert (first.status, first.headers["retry-after"], second.status) == (429, "70", 200)


def test_a_quota_without_a_window_of_during_ends_all_the_same() -> None:
    session = lab("none", named("quota", given={"until_s": 5.0}, times=None))
    play("direct", session, [REFUND, replace(REFUND, rest_s=9)])
    first, second = [event for event in session.events if type(event) is Receipt]
    assert (first.status, first.headers["retry-after"], second.status) == (429, "5", 200)


def test_a_refusal_before_the_key_look_up_leaves_no_record() -> None:
    session = lab("strict", named("throttled"))
    other = replace(KEYED, args={"order_id": "A17", "amount": "10.00"})
    assert [seen.status for seen in play("direct", session, [KEYED, other])] == [429, 200]


def test_a_middleboxs_effect_is_its_own_and_names_the_call() -> None:
    session = lab("none", named("middlebox_resend"))
    play("direct", session, [REFUND])
    assert [(item.call, item.actor, item.cause) for item in session.engine.ledger] == [
        (1, "agent", "agent"),
        (1, "middlebox", "middlebox"),
    ]
    assert session.clock.now() == 1_050_000_000
    assert len({item.id for item in session.engine.ledger}) == 2
    shown = play("direct", session, [Step("list_refunds", {"order_id": "A17"})])[0].body["refunds"]
    assert len({refund["id"] for refund in shown}) == 2


def test_what_somebody_else_did_names_no_call_and_bears_its_own_reference() -> None:
    session = lab("none", named("equal_effect", given={"reference": "theirs"}))
    play("direct", session, [replace(KEYED, key=None)])
    effect = session.engine.ledger[0]
    assert (effect.call, effect.actor, effect.reference, effect.identity) == (0, "interference", "theirs", "A17")


def test_under_every_contract_somebody_else_sends_what_it_demands() -> None:
    for contract in ("status", "fence", "stripe_v1", "strict", "ietf"):
        session = lab(contract, named("another_writer", given={"tool": "refund_order", "args": dict(REFUND.args)}))
        assert [seen.status for seen in play("direct", session, [KEYED])] == [200], contract
        assert [effect.cause for effect in session.engine.ledger] == ["interference", "agent"], contract


def test_a_reordered_request_waits_for_a_newer_one_and_no_longer_than_planned() -> None:
    other = replace(REFUND, args={"order_id": "B92", "amount": "9.00"})
    session = lab("none", named("reordering", given={"symptom": "reset", "at_most_s": 100.0}))
    play("direct", session, [REFUND, other])
    assert [effect.identity for effect in session.engine.ledger] == ["B92"]
    drain(session)
    assert [(effect.identity, effect.t) for effect in session.engine.ledger][1] == ("A17", 100 * 10**9)


@pytest.mark.parametrize("contract", ["status", "fence"])
def test_a_receipt_is_crossed_too_where_a_reference_is_demanded(contract: str) -> None:
    session = lab(contract, named("crossed_receipt", given={"args": {"order_id": "B92", "amount": "9.00"}}))
    play("direct", session, [replace(REFUND, reference="r1")])
    (receipt,) = [event for event in session.events if type(event) is Receipt]
    assert receipt.body["order_id"] == "B92"
    assert [effect.identity for effect in session.engine.ledger] == ["A17"]


def test_a_crossed_receipt_is_of_the_other_arguments() -> None:
    session = lab("none", named("crossed_receipt", given={"args": {"order_id": "B92", "amount": "9.00"}}))
    seen = play("direct", session, [KEYED])[0]
    assert (seen.body["order_id"], seen.body["amount"]) == ("B92", "9.00")
    assert [effect.identity for effect in session.engine.ledger] == ["A17"]


def test_a_receipt_that_is_late_by_plan_is_lost_before_the_resend_is_throttled() -> None:
    # The counts of the two kinds of faults are their own: the second refund is number 2 for one, and for the other too.
    session = lab("strict", fault("after"), named("throttled", occurrence=2))
    seen = play("direct", session, [KEYED, KEYED, KEYED])
    assert [item.error or item.status for item in seen] == ["ReadTimeout", 429, 200]
    assert len(session.engine.ledger) == 1


def test_a_refusal_has_the_registered_title_on_every_python() -> None:
    assert problem(422, "invalid", "No.").body["title"] == "Unprocessable Content"
