"""The notice board: versions that reads show, conditional writes, whose write it was, and approvals."""

from typing import Any

import pytest
from labs import lab
from toolsets.support import call, receipt, refused

from faultlab.core.actions import Meddle
from faultlab.core.canonical import digest
from faultlab.core.clock import NS
from faultlab.core.records import Sight
from faultlab.core.world import FrozenWorld
from faultlab.engine.session import Session
from faultlab.toolsets.pages import PAGES

NOTICE = {"page_id": "poster", "notice": "Lift out of order."}
TABLES: dict[str, Any] = {
    "announcements": {"entrance": {"entrance": "south", "revision": 2}, "plain": {"entrance": "west"}},
    "archive": {"entrance": {"entrance": "north", "revision": 1}},
    "pages": {
        "poster": {"title": "Fair", "entrance": "north", "notice": "Bring a ticket."},
        "map": {"title": "Map", "entrance": "north", "notice": "", "locked": True},
    },
    "approvals": {"ap0": {"digest": digest(NOTICE), "by": None, "expires_s": None, "withdrawn_at_s": None}},
}


def board(contract: str = "precondition", **terms: Any) -> Session:
    tables = {**TABLES, "settings": {"approvals": terms}} if terms else TABLES
    return lab(contract, toolset=PAGES, world=FrozenWorld(tables))


@pytest.mark.parametrize(
    ("tool", "args", "sight"),
    [
        ("get_announcement", {"name": "entrance"}, Sight("announcements/entrance", 2)),
        ("get_archived_announcement", {"name": "entrance"}, Sight("announcements/entrance", 1)),
        ("get_announcement", {"name": "plain"}, Sight("announcements/plain", None)),
        ("get_page", {"page_id": "poster"}, Sight("pages/poster", 1)),
        ("list_revisions", {"page_id": "poster"}, Sight("pages/poster", 1)),
        ("get_approval", {"approval_id": "ap0"}, Sight("approvals/ap0", 1)),
    ],
)
def test_a_read_says_which_version_of_what_it_showed(tool: str, args: dict[str, str], sight: Sight) -> None:
    session = board()
    body = call(session, tool, **args)
    assert receipt(session).sights == (sight,)
    assert ("etag" in body) == (tool in ("get_page", "list_revisions", "get_approval"))


def test_without_conditions_a_page_shows_no_version() -> None:
    session = board("none")
    assert "etag" not in call(session, "get_page", page_id="poster")
    assert receipt(session).sights == (Sight("pages/poster", None),)


def test_a_write_by_version_says_what_it_changed_and_whose_it_was() -> None:
    session = board()
    made = call(
        session,
        "update_page",
        page_id="poster",
        entrance="south",
        notice="Bring a ticket.",
        reference="r1",
        if_match='"1"',
    )
    assert made["etag"] == '"2"'
    assert receipt(session).sights == (Sight("pages/poster", 2),)
    effect = session.engine.ledger[0]
    assert (effect.object, effect.before, effect.after) == (
        "pages/poster",
        {"entrance": "north"},
        {"entrance": "south"},
    )
    meddled = session.engine.server.meddle(
        Meddle(
            "update_page", {"page_id": "poster", "entrance": "south", "notice": "Sold out."}, "interference", "desk"
        ),
        NS,
    )
    assert meddled.status == 200
    assert refused(session, "update_page", page_id="poster", entrance="west", notice="", if_match='"2"') == (
        412,
        "precondition_failed",
    )
    shown = call(session, "list_revisions", page_id="poster")
    assert [item["reference"] for item in shown["revisions"]] == ["r1", "desk"]
    assert [reveal.shown for reveal in receipt(session).reveals if reveal.tool == "update_page"] == [("r1", "desk")]
    assert session.engine.ledger[1].after == {"notice": "Sold out."}


def test_a_locked_page_is_refused_and_there_is_a_way_round() -> None:
    session = board()
    text = {"page_id": "map", "entrance": "south", "notice": "", "if_match": '"1"'}
    assert refused(session, "update_page", **text) == (403, "locked")
    assert call(session, "overwrite_page", **text)["etag"] == '"2"'
    assert PAGES.tools["overwrite_page"].equivalent_to == "update_page"


@pytest.mark.parametrize("tool", ["get_announcement", "get_archived_announcement"])
def test_what_is_not_there_is_not_found(tool: str) -> None:
    assert refused(board(), tool, name="lunch") == (404, "not_found")
    assert refused(board(), "get_page", page_id="lunch") == (404, "not_found")
    assert refused(board(), "update_page", page_id="lunch", entrance="", notice="", if_match='"1"') == (
        404,
        "not_found",
    )


def test_an_approval_waits_for_whoever_gives_it() -> None:
    session = board()
    asked = call(session, "request_approval", tool_name="publish_notice", arguments=NOTICE)
    assert (asked["by"], asked["digest"]) == (None, digest(NOTICE))
    again = call(session, "request_approval", tool_name="publish_notice", arguments=NOTICE)
    assert again["approval_id"] == asked["approval_id"]
    assert session.engine.ledger == []
    assert call(session, "publish_notice", **NOTICE, approval=asked["approval_id"], if_match='"1"')["etag"] == '"2"'


def test_a_server_that_looks_refuses_what_is_not_in_force() -> None:
    session = board("none", approver="ada", valid_s=60, enforced=True)
    asked = call(session, "request_approval", tool_name="publish_notice", arguments=NOTICE)
    name = asked["approval_id"]
    assert asked["by"] == "ada"
    assert asked["expires_s"] == pytest.approx(session.clock.now() / NS + 60, abs=0.1)
    other = {**NOTICE, "notice": "Lift works."}
    assert refused(session, "publish_notice", **other, approval=name) == (403, "other_digest")
    assert refused(session, "publish_notice", **NOTICE, approval="ap9") == (404, "not_found")
    call(session, "publish_notice", **NOTICE, approval=name)
    session.clock.sleep(61)
    assert refused(session, "publish_notice", **NOTICE, approval=name) == (403, "not_approved")
    renewed = call(session, "request_approval", tool_name="publish_notice", arguments=NOTICE)["approval_id"]
    assert renewed != name
    call(session, "amend_approval", approval_id=renewed, arguments=other)
    assert call(session, "get_approval", approval_id=renewed)["digest"] == digest(other)
    call(session, "publish_notice", **other, approval=renewed)
    call(session, "withdraw_approval", approval_id=renewed)
    assert refused(session, "publish_notice", **other, approval=renewed) == (403, "not_approved")
    assert [effect.tool for effect in session.engine.ledger] == [
        "publish_notice",
        "amend_approval",
        "publish_notice",
        "withdraw_approval",
    ]
    assert session.engine.ledger[-1].object == f"approvals/{renewed}"
    assert session.engine.ledger[-1].before == {"withdrawn_at_s": None}
