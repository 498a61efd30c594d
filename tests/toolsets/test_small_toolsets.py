"""Inbox, files, instances and signup: what they refuse, what they show, and what nothing guards against."""

from typing import Any

import pytest
from labs import lab
from toolsets.support import call, receipt, refused

from faultlab.core.records import Outcome
from faultlab.core.world import FrozenWorld
from faultlab.engine.session import Session
from faultlab.toolsets.files import FILES
from faultlab.toolsets.inbox import INBOX
from faultlab.toolsets.instances import INSTANCES
from faultlab.toolsets.signup import SIGNUP

DEVICES = [
    {"id": "D001", "department": "R&D"},
    {"id": "D002", "department": "Sales"},
    {"id": "D003", "department": ""},
    {"id": "D004", "department": "R&D"},
]
MAIL = {"to": "ada@example.com", "subject": "Report", "text": "Attached."}
MACHINE = {"name": "web", "image": "base", "region": "r1"}


def inbox() -> Session:
    return lab(toolset=INBOX, world=FrozenWorld({"contacts": {"ada": {"address": "ada@example.com", "note": ""}}}))


def files(page_size: int = 3) -> Session:
    return lab(toolset=FILES, world=FrozenWorld({"lists": {"devices": {"rows": DEVICES, "page_size": page_size}}}))


def instances(contract: str = "none") -> Session:
    return lab(contract, toolset=INSTANCES, world=FrozenWorld({"images": {"base": {"regions": ["r1", "r2"]}}}))


def signup(contract: str = "none", seats: int = 9) -> Session:
    return lab(contract, toolset=SIGNUP, world=FrozenWorld({"events": {"E1": {"seats": seats}}}))


def test_a_mail_is_sent_as_often_as_it_is_asked_for_and_shows_its_reference() -> None:
    session = inbox()
    assert call(session, "get_contact", name="ada")["address"] == MAIL["to"]
    for reference in ("a", "b"):
        call(session, "send", **MAIL, reference=reference)
    call(session, "send", **{**MAIL, "subject": "Other"})
    assert [mail["reference"] for mail in call(session, "list_sent", to=MAIL["to"], subject="Report")["mails"]] == [
        "a",
        "b",
    ]
    assert len(session.engine.ledger) == 3
    assert refused(session, "send", **{**MAIL, "to": "ada"}) == (422, "address")
    assert refused(session, "get_contact", name="bob") == (404, "not_found")
    assert not [item for item in INBOX.tools.values() if item.reverses]


@pytest.mark.parametrize("page_size", [1, 3, 4, 9])
def test_a_list_is_whole_only_at_its_last_page(page_size: int) -> None:
    session, rows, cursor = files(page_size), [], ""
    while True:
        page = call(session, "read_list", name="devices", cursor=cursor)
        rows += page["rows"]
        assert page["complete"] == (page["next"] is None)
        if page["complete"]:
            break
        cursor = page["next"]
    assert rows == DEVICES
    assert session.count == -(-len(DEVICES) // page_size)


def test_a_list_is_not_written_to_and_a_file_is_written_whole() -> None:
    session = files()
    assert refused(session, "read_list", name="people") == (404, "not_found")
    assert refused(session, "read_list", name="devices", cursor="x") == (400, "cursor")
    assert refused(session, "write_file", name="devices", content={}) == (409, "is_a_list")
    assert call(session, "read_file", name="totals") == {"name": "totals", "content": None, "reference": None}
    assert receipt(session).reveals[0].answer == "absent"
    call(session, "write_file", name="totals", content={"R&D": 2}, reference="r1")
    call(session, "write_file", name="totals", content={"Sales": 1}, reference="r2")
    assert call(session, "read_file", name="totals")["content"] == {"Sales": 1}
    assert receipt(session).reveals[0].shown == ("r2",)


def test_what_runs_in_a_region_is_seen_there_only() -> None:
    session = instances()
    call(session, "run_instances", **MACHINE, reference="r1")
    call(session, "run_instances", **{**MACHINE, "region": "r2"})
    effects = session.engine.ledger
    assert [effect.identity for effect in effects] == ["web", "web"]
    assert [event.scope for event in session.events if hasattr(event, "scope")] == ["r1", "r2"]
    shown = call(session, "describe_instances", name="web", region="r1")["instances"]
    assert [(item["region"], item["reference"]) for item in shown] == [("r1", "r1")]
    assert refused(session, "run_instances", **{**MACHINE, "region": "r3"}) == (404, "not_found")
    assert refused(session, "run_instances", **{**MACHINE, "image": "other"}) == (404, "not_found")


def test_a_second_registration_is_refused_and_a_read_says_whose_the_first_was() -> None:
    session = signup()
    call(session, "register", event="E1", email="a@x", reference="mine")
    assert refused(session, "register", event="E1", email="a@x", reference="mine") == (409, "registered")
    assert refused(session, "register", event="E9", email="a@x") == (404, "not_found")
    call(session, "list_people", event="E1", email="a@x")
    assert receipt(session).reveals[0].shown == ("mine",)


def test_of_a_list_each_is_registered_or_refused_by_itself() -> None:
    session = signup(seats=2)
    people: list[dict[str, Any]] = [{"email": "a@x"}, {"email": "nobody"}, {"email": "b@x"}, {"email": "c@x"}]
    body = call(session, "register_all", event="E1", people=people, reference="r1")
    assert receipt(session).status == 207
    assert [item["status"] for item in body["items"]] == [201, 422, 201, 422]
    assert [(effect.identity, effect.args["email"]) for effect in session.engine.ledger] == [
        ("E1, a@x", "a@x"),
        ("E1, b@x", "b@x"),
    ]
    assert len({effect.id for effect in session.engine.ledger}) == 2
    calls = [event for event in session.events if hasattr(event, "items")]
    assert calls[0].items == ("E1, a@x", "E1, nobody", "E1, b@x", "E1, c@x")
    call(session, "list_people", event="E1", email="b@x")
    assert {reveal.tool: reveal.shown for reveal in receipt(session).reveals} == {
        "register": ("r1",),
        "register_all": ("r1",),
    }


def test_a_badge_is_promised_and_a_list_shows_it() -> None:
    session = signup()
    assert refused(session, "print_badge", event="E1", email="a@x") == (404, "not_found")
    call(session, "register", event="E1", email="a@x")
    assert call(session, "print_badge", event="E1", email="a@x", reference="r1") == {"state": "accepted"}
    assert (receipt(session).status, receipt(session).outcome) == (202, Outcome.UNKNOWN)
    call(session, "list_badges", event="E1", email="a@x")
    assert receipt(session).reveals[0].shown == ("r1",)
