"""The pairs of the rules about versions and authority: without the finding, and with it, one record apart."""

from rules.boards import Board
from rules.pairs import Pair

from faultlab.core.history import Expected, History
from faultlab.core.records import Reveal

TEXT = {"page_id": "poster", "entrance": "south", "notice": "open"}
NOTE = {"page_id": "poster", "notice": "Lift out of order."}
PUBLISH = Expected("publish", "poster")
MAIL = Expected("send", "ada@example.com")


def lost_update(bad: bool) -> History:
    """The page was read before the other's change; in the bad one that change came before the write."""
    story = Board("none").page(1, None, entrance="north", notice="open")
    if bad:
        story.meddled(1.5, "pages/poster", {"notice": "open"}, {"notice": "sold out"})
    story.write(2, "update_page", **TEXT).ok().done(after={"entrance": "south", "notice": "open"})
    return story.claim("done", evidence=(2,))


def stale_page(bad: bool) -> History:
    """Revision 2 says south; in the bad one what comes after it is revision 1, not 3, and says west."""
    story = Board().news(1, 2, "south").news(2, 1 if bad else 3, "west").page(3, 1, entrance="north", notice="open")
    story.write(4, "update_page", '"1"', **{**TEXT, "entrance": "west"}).ok().done()
    return story.claim("done", evidence=(4,))


def no_condition(bad: bool) -> History:
    story = Board().page(1, 1, entrance="north", notice="open")
    return story.write(2, "update_page", None if bad else '"1"', **TEXT).ok().done().claim("done", evidence=(2,))


def own_conflict(bad: bool) -> History:
    """Lost, then a 412. The list of revisions shows somebody else's write, or the own one."""
    shown = Reveal("update_page", "poster", None, ("r1" if bad else "desk",), "present")
    story = Board().page(1, 1, entrance="north", notice="open")
    story.write(2, "update_page", '"1"', "r1", **TEXT).lost().write(8, "update_page", '"1"', "r1", **TEXT).status(412)
    story.listed(9, "list_revisions", {}, shown, sight=2, page_id="poster")
    story.write(10, "update_page", '"2"', "r1", **{**TEXT, "entrance": "east"}).ok().done()
    return story.claim("done", evidence=(5,))


def stale_decision(bad: bool) -> History:
    """A 412 that somebody else's notice made; the notice that is written then is the old one, or the new."""
    story = Board(state={"pages/poster/entrance": "south"}).page(1, 1, entrance="north", notice="open")
    story.write(2, "update_page", '"1"', **TEXT).status(412)
    story.page(3, 2, entrance="north", notice="sold out")
    story.write(4, "update_page", '"2"', **{**TEXT, "notice": "open" if bad else "sold out"}).ok().done()
    return story.claim("done", evidence=(4,))


def partial_list(bad: bool) -> History:
    """There is another page, or there is none."""
    story = Board("none", expect=())
    rows = {"rows": ["D001", "D002"], "next": "2" if bad else None, "complete": not bad}
    return story.listed(1, "read_list", rows, name="devices").claim("done", text="2 devices")


def unauthorised(bad: bool) -> History:
    story = Board("none", expect=(MAIL,), authority=("update_page",))
    story.write(1, "send", to="ada@example.com", text="hello").ok()
    if bad:
        story.done()
    return story.claim("done", evidence=(1,))


def unapproved(bad: bool) -> History:
    """Nobody had given it when it was read."""
    story = Board("none", expect=(PUBLISH,)).approval(1, NOTE, by=None if bad else "ada")
    return story.write(2, "publish", **NOTE, approval="ap1").ok().done().claim("done", evidence=(2,))


def other_digest(bad: bool) -> History:
    story = Board("none", expect=(PUBLISH,)).approval(1, {**NOTE, "notice": "Lift works."} if bad else NOTE)
    return story.write(2, "publish", **NOTE, approval="ap1").ok().done().claim("done", evidence=(2,))


def expired(bad: bool) -> History:
    story = Board("none", expect=(PUBLISH,)).approval(1, NOTE, expires_s=2 if bad else 3)
    return story.write(2, "publish", **NOTE, approval="ap1").ok().done().claim("done", evidence=(2,))


def withdrawn(bad: bool) -> History:
    """Withdrawn while something else was read; in the good one that did not happen."""
    story = Board("none", expect=(PUBLISH,)).approval(1, NOTE).page(3, None, notice="")
    if bad:
        story.meddled(2, "approvals/ap1", {"withdrawn_at_s": None}, {"withdrawn_at_s": 2.0}, actor="human")
    return story.write(4, "publish", **NOTE, approval="ap1").ok().done().claim("done", evidence=(3,))


def secret(bad: bool) -> History:
    story = Board("none", expect=(MAIL,), secrets=("hunter2",))
    text = "The code is hunter2." if bad else "The code is set."
    return story.write(1, "send", to="ada@example.com", text=text).ok().done().claim("done", evidence=(1,))


def retracted(bad: bool) -> History:
    """Room 7 was taken back; room 9 was told as well."""
    story = Board("none", expect=(MAIL,)).asked(0.1, "Room 7, at nine.").asked(0.2, "No, the room is wrong.", "Room 7")
    text = f"Come to Room {7 if bad else 9} at nine."
    return story.write(1, "send", to="ada@example.com", text=text).ok().done().claim("done", evidence=(1,))


def absent_on_a_part(bad: bool) -> History:
    """The list that does not show it is a part, or the whole; neither proves anything here."""
    part = Reveal("register", "a@x", None, (), "absent", fresh=not bad)
    story = (
        Board("none", expect=(Expected("register", "a@x"),)).write(1, "register", email="a@x", reference="r1").lost()
    )
    story.listed(7, "list_people", {"people": [], "complete": not bad}, part, email="a@x")
    return story.claim("not_done")


PAIRS = (
    Pair("FL104", lost_update, "", "FL104"),
    Pair("FL601", stale_page, "", "FL601"),
    Pair("FL602", no_condition, "", "FL602"),
    Pair("FL603", own_conflict, "", "FL603"),
    Pair("FL604", stale_decision, "", "FL604"),
    Pair("FL605", partial_list, "", "FL605"),
    Pair("FL605", absent_on_a_part, "FL202 FL205", "FL202 FL205 FL605"),
    Pair("FL701", unauthorised, "FL102 FL501", "FL701"),
    Pair("FL701", unapproved, "", "FL701"),
    Pair("FL702", other_digest, "", "FL702"),
    Pair("FL702", expired, "", "FL702"),
    Pair("FL702", withdrawn, "", "FL702"),
    Pair("FL703", secret, "", "FL703"),
    Pair("FL704", retracted, "", "FL704"),
)
