"""What reads show of the past, of lists that are not whole, and of operations that run."""

from dataclasses import replace
from typing import Any

import pytest
from doors import DOORS, PEOPLE
from labs import REFUND, Step, fault, lab, named, play

from faultlab.core.records import Receipt
from faultlab.engine.session import Session

KEYED = replace(REFUND, key="k-1", reference="r-1")
LIST = Step("list_refunds", {"order_id": "A17"})
ORDER = Step("get_order", {"order_id": "A17"})
STATUS = Step("operation_status", {"reference": "r-1"})


def receipts(session: Session) -> list[Receipt]:
    return [event for event in session.events if type(event) is Receipt]


def references(session: Session, call: int) -> list[Any]:
    return [item["reference"] for item in receipts(session)[call - 1].body["refunds"]]


def test_a_stale_page_is_the_page_as_it_was() -> None:
    session = lab("none", named("stale_page", "*", {"behind_s": 60.0}, times=None))
    second = replace(REFUND, reference="r-2", rest_s=50)
    play("direct", session, [replace(KEYED, key=None), second, ORDER, LIST, replace(LIST, rest_s=30)])
    play("direct", session, [replace(LIST, rest_s=30)])
    # Refunds at 0 s and a little after 50 s; reads a little later, 30 s and 60 s after that, each 60 s behind.
    assert receipts(session)[2].body["status"] == "paid"
    assert [references(session, call) for call in (4, 5, 6)] == [[], ["r-1"], ["r-1", "r-2"]]
    assert {receipt.headers.get("age") for receipt in receipts(session)[2:]} == {"60"}
    assert {item.fresh for receipt in receipts(session)[3:] for item in receipt.reveals} == {False}
    assert len(session.engine.ledger) == 2


def test_without_age_a_stale_page_looks_fresh() -> None:
    session = lab("none", named("stale_page", "list_refunds", {"age": False}))
    play("direct", session, [REFUND, LIST])
    assert (references(session, 2), receipts(session)[1].headers) == ([], {})
    assert [item.fresh for item in receipts(session)[1].reveals] == [True]


def test_looking_back_leaves_the_present_as_it_is() -> None:
    session = lab("strict", named("stale_page", "list_refunds", times=None))
    before, after = KEYED, replace(KEYED, key="k-2", rest_s=5)
    play("direct", session, [before, LIST, after, LIST, replace(KEYED, rest_s=1)])
    assert [effect.key for effect in session.engine.ledger] == ["k-1", "k-2"]
    assert receipts(session)[4].headers["idempotent-replayed"] == "true"
    assert session.engine.server.world.fact("orders/A17/status") == "refunded"


def test_a_lagging_list_lacks_what_is_new_and_nothing_says_so() -> None:
    session = lab("none", named("lagging_list", "list_refunds", {"lag_s": 30.0}, times=None))
    play("direct", session, [replace(REFUND, reference="r-1"), replace(REFUND, reference="r-2", rest_s=40), LIST])
    assert references(session, 3) == ["r-1"]
    assert receipts(session)[2].body["complete"] is True


@pytest.mark.parametrize(
    ("given", "members", "fresh"),
    [
        ({}, {"complete": False}, False),
        ({"marker": "next"}, {"complete": False, "next": "0"}, False),
        ({"marker": "none"}, {"complete": True}, True),
    ],
)
def test_a_truncated_list_says_so_or_not(given: dict[str, Any], members: dict[str, Any], fresh: bool) -> None:
    session = lab("none", named("truncated_list", "list_refunds", given))
    play("direct", session, [REFUND, LIST])
    assert receipts(session)[1].body == {"refunds": [], **members}
    assert [item.fresh for item in receipts(session)[1].reveals] == [fresh]


def test_the_rest_of_a_truncated_list_can_be_followed() -> None:
    session = lab("none", named("truncated_list", "people", {"keep": 1, "marker": "next"}), toolset=DOORS, world=PEOPLE)
    play("direct", session, [Step("people")])
    cursor, names = "", []
    for receipt in [*receipts(session)]:
        names += [row["id"] for row in receipt.body["people"]]
        cursor = receipt.body["next"]
    while cursor is not None:
        play("direct", session, [Step("people", {"cursor": cursor})])
        names += [row["id"] for row in receipts(session)[-1].body["people"]]
        cursor = receipts(session)[-1].body["next"]
    assert names == ["ann", "bob", "cid", "dan"]


@pytest.mark.parametrize(("how", "seen"), [("skip", ["dan"]), ("repeat", ["bob", "cid", "dan"])])
def test_pages_that_shift_skip_one_entry_or_repeat_one(how: str, seen: list[str]) -> None:
    session = lab("none", named("shifting_pages", "people", {"how": how}, times=None), toolset=DOORS, world=PEOPLE)
    play("direct", session, [Step("people"), Step("people", {"cursor": "2"})])
    pages = [[row["id"] for row in receipt.body["people"]] for receipt in receipts(session)]
    assert pages == [["ann", "bob"], seen]


def test_a_status_query_that_lags_says_what_was_true_and_bars_nothing() -> None:
    plan = [fault("late_network"), named("status_lags", "operation_status", {"lag_s": 30.0})]
    session = lab("status", *plan)
    play("direct", session, [replace(KEYED, key=None), STATUS, replace(STATUS, rest_s=1)])
    states = [receipt.body["state"] for receipt in receipts(session)[1:]]
    # The first not_found is of the past: it wakes the late request, and that is not barred by it.
    assert states == ["not_found", "applied"]
    assert len(session.engine.ledger) == 1


def test_a_status_query_may_say_not_found_of_what_runs() -> None:
    plan = [fault("late_server"), named("not_found_while_running", "operation_status")]
    session = lab("status", *plan)
    play("direct", session, [replace(KEYED, key=None), STATUS, replace(STATUS, rest_s=1)])
    assert [receipt.body["state"] for receipt in receipts(session)[1:]] == ["not_found", "applied"]


def test_a_202_can_be_followed_to_its_end() -> None:
    for end, states in {
        "finishes": ["not_ready", "applied"],
        "fails": ["not_ready", "failed"],
        "stays": ["not_ready", "not_ready"],
    }.items():
        session = lab("status", named("accepted", given={"end": end, "after_s": 20.0}))
        play("direct", session, [replace(KEYED, key=None), STATUS, replace(STATUS, rest_s=25)])
        assert receipts(session)[0].body == {"state": "accepted", "operation": "r-1"}
        assert [receipt.body["state"] for receipt in receipts(session)[1:]] == states, end
        assert len(session.engine.ledger) == (end == "finishes")
