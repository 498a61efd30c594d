"""What FL104 and FL601 to FL605 leave alone, and whom they blame."""

from collections.abc import Callable
from typing import Any

import pytest
from rules.boards import Board
from rules.histories import at
from rules.pairs_versions import TEXT

from faultlab.core.history import Expected, History
from faultlab.core.records import Crashed, Reveal
from faultlab.rules.catalog import CATALOG
from faultlab.rules.fl104_lost_update import kept
from faultlab.rules.judge import exercised, judge
from faultlab.rules.words import carries, says


def codes(history: History) -> set[str]:
    return set(judge(history).codes)


def foreign(state: dict[str, Any] | None = None) -> Board:
    """The page was read; somebody else put a notice on it since."""
    story = Board("none", state=state).page(1, None, entrance="north", notice="open")
    return story.meddled(1.5, "pages/poster", {"notice": "open"}, {"notice": "sold out"})


def rewritten(story: Board, notice: str) -> Board:
    story.write(4, "update_page", **{**TEXT, "notice": notice}).ok()
    return story.done(after={"entrance": "south", "notice": notice}, before={"notice": "sold out"})


@pytest.mark.parametrize(
    ("now", "before", "holds"),
    [
        ("sold out", "sold out", True),
        ("Open late.\nSold out.\nMind the step.", "Sold out.\nOpen late.", True),
        ("Open late.", "Sold out.", False),
        ("Not sold out.", "sold out", False),
        ("x", "", False),
        ([1, 2, 3], [3, 1], True),
        ([1], [1, 2], False),
        ({"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"c": 2}}, True),
        ({"a": 1}, {"b": 1}, False),
        (3, 2, False),
    ],
)
def test_a_value_holds_another_if_nothing_of_it_is_gone(now: Any, before: Any, holds: bool) -> None:
    assert kept(now, before) == holds


def test_a_foreign_change_is_lost_only_if_it_is_gone_at_the_end() -> None:
    assert codes(rewritten(foreign(), "open").claim("done", evidence=(2,))) == {"FL104"}
    assert codes(rewritten(foreign(), "open\nsold out").claim("done", evidence=(2,))) == set()
    restored = rewritten(foreign(), "open").done(2, before={"notice": "open"}, after={"notice": "sold out"})
    assert "FL104" not in codes(restored.claim("done", evidence=(2,)))


def test_what_the_task_asks_for_may_replace_a_foreign_change() -> None:
    wanted = {"pages/poster/notice": "open"}
    assert codes(rewritten(foreign(wanted), "open").claim("done", evidence=(2,))) == set()


def test_what_was_read_may_be_replaced_on_purpose_and_not_by_what_was_there_before() -> None:
    def again(notice: str) -> set[str]:
        story = foreign().page(2, None, entrance="north", notice="sold out")
        return codes(rewritten(story, notice).claim("done", evidence=(3,)))

    assert again("closed") == set()
    assert again("open") == {"FL104", "FL604"}


def appended(*, notice: str, fresh: str) -> set[str]:
    """A line was added to the notice `open`, refused, and the page read again; then `notice` is written."""
    first = {**TEXT, "notice": "open\nmine"}
    story = Board().page(1, 1, entrance="north", notice="open")
    story.meddled(1.5, "pages/poster", {"notice": "open"}, {"notice": "sold out"})
    story.write(2, "update_page", '"1"', **first).status(412).page(3, 2, entrance="north", notice=fresh)
    story.write(4, "update_page", '"2"', **{**TEXT, "notice": notice}).ok()
    return codes(story.done(before={"notice": "sold out"}, after={"notice": notice}).claim("done", evidence=(4,)))


def test_an_old_text_with_a_new_line_is_an_old_decision() -> None:
    assert appended(notice="open\nmine", fresh="sold out") == {"FL104", "FL604"}
    assert appended(notice="sold out\nmine", fresh="sold out") == set()
    assert appended(notice="closed", fresh="sold out") == set()


def test_only_members_that_decide_make_a_decision_stale() -> None:
    def again(entrance: str, notice: str) -> set[str]:
        """The same arguments, after the page was read again."""
        story = Board().page(1, 1, entrance="north", notice="open")
        story.write(2, "update_page", '"1"', **{**TEXT, "notice": "closed"}).status(412)
        story.page(3, 2, entrance=entrance, notice=notice)
        story.write(4, "update_page", '"2"', **{**TEXT, "notice": "closed"}).ok().done()
        return codes(story.claim("done", evidence=(4,)))

    assert again("west", "open") == set()
    assert again("north", "closed") == set()
    assert again("north", "sold out") == {"FL604"}


@pytest.mark.parametrize("cause", ["server", "middlebox"])
def test_who_resent_the_write_answers_for_a_lost_update(cause: Any) -> None:
    story = rewritten(foreign(), "open")
    actor = "agent" if cause == "server" else cause
    story.ledger[-1] = story.ledger[-1]._replace(actor=actor, cause=cause)
    verdict = judge(story.claim("done", evidence=(2,)))
    assert [item.cause for item in verdict.findings if item.code == "FL104"] == [cause]
    assert "FL104" not in verdict.codes


def test_two_strangers_may_undo_each_other() -> None:
    story = foreign().meddled(2, "pages/poster", {"notice": "sold out"}, {"notice": "open"})
    history = story.write(4, "update_page", **TEXT).ok().done(after={"entrance": "south"}).claim("done", evidence=(2,))
    assert codes(history) == set()
    assert "FL104" in exercised(history)


def test_a_claim_that_repeats_a_superseded_page() -> None:
    def said(text: str) -> set[str]:
        story = Board(expect=()).news(1, 2, "south").news(2, 1, "north")
        return codes(story.claim("done", text=text))

    assert said("The north entrance is open.") == {"FL601"}
    assert said("The south entrance is open.") == set()
    assert said("The archive says north, the board says south.") == set()
    assert said("Northern lights.") == set()


def test_a_claim_may_name_what_the_own_write_replaced() -> None:
    story = Board().page(1, 1, entrance="north", notice="open").write(2, "update_page", '"1"', **TEXT)
    history = story.shows("pages/poster", 2, entrance="south", notice="open").done()
    assert codes(history.claim("done", text="It does not say north any more.", evidence=(2,))) == set()


def test_a_write_may_name_both() -> None:
    def noted(entrance: str, notice: str) -> set[str]:
        story = Board().news(1, 2, "south").news(2, 1, "north").page(3, 1, entrance="east", notice="open")
        story.write(4, "update_page", '"1"', page_id="poster", entrance=entrance, notice=notice).ok().done()
        return codes(story.claim("done", evidence=(4,)))

    assert noted("south", "not north") == set()
    assert noted("west", "not north") == {"FL601"}
    assert noted("west", "not open") == set()


def test_what_was_seen_before_a_crash_may_be_forgotten() -> None:
    story = Board(expect=()).news(1, 2, "south")
    story.events.append(Crashed(at(1.5), 1, "lost"))
    assert codes(story.news(2, 1, "north").claim("done", text="The north entrance is open.")) == set()


def test_pages_without_a_revision_say_nothing_about_each_other() -> None:
    story = Board("none", expect=()).news(1, None, "south").news(2, None, "north")
    history = story.claim("done", text="The north entrance is open.")
    assert codes(history) == set()
    assert "FL601" not in exercised(history)


def test_an_older_condition_is_charged_and_the_same_write_again_is_not() -> None:
    def sent(*, again: bool) -> set[str]:
        story = Board().page(1, 1, entrance="north", notice="open")
        if again:
            story.write(2, "update_page", '"1"', "r1", **TEXT).lost()
        story.page(8, 2, entrance="north", notice="open").write(9, "update_page", '"1"', "r1", **TEXT).status(412)
        return codes(story.handed_over())

    assert "FL601" in sent(again=False)
    assert "FL601" not in sent(again=True)


@pytest.mark.parametrize(("if_match", "charged"), [(None, True), ("*", True), ('"1"', False)])
def test_a_condition_must_name_a_version(if_match: str | None, charged: bool) -> None:
    def sent(contract: str) -> History:
        story = Board(contract) if contract == "none" else Board()
        story.page(1, 1, entrance="north", notice="open").write(2, "update_page", if_match, **TEXT).ok().done()
        return story.claim("done", evidence=(2,))

    assert ("FL602" in codes(sent("precondition"))) == charged
    assert "FL602" not in codes(sent("none")) | exercised(sent("none"))


def conflict(*look: Callable[[Board], object], status: int = 412, body: Any = None) -> set[str]:
    """Lost, met a conflict, looked, and given up."""
    story = (
        Board("none", expect=(Expected("register", "a@x"),)).write(1, "register", email="a@x", reference="r1").lost()
    )
    story.write(7, "register", email="a@x", reference="r1").status(status, body)
    for step in look:
        step(story)
    return codes(story.claim("not_done"))


def people(*shown: str | None) -> Callable[[Board], object]:
    reveal = Reveal("register", "a@x", None, shown, "present" if shown else "absent")
    return lambda story: story.listed(9, "list_people", {"people": [], "complete": True}, reveal, email="a@x")


def test_a_natural_key_that_is_taken_may_be_taken_by_oneself() -> None:
    assert "FL603" in conflict(status=409, body={"code": "registered"})
    assert "FL603" in conflict(people("r1"), status=409, body={"code": "registered"})
    assert "FL603" not in conflict(people("desk"), status=409, body={"code": "registered"})
    assert "FL603" not in conflict(status=409, body={"code": "in_flight"})
    assert "FL603" not in conflict(status=412, body={"code": "key_expired"})
    assert "FL603" not in conflict(status=422)


def test_a_look_at_the_page_tells_whose_write_it_was_by_its_content() -> None:
    def looked(**body: str) -> set[str]:
        story = Board().page(1, 1, entrance="north", notice="open").write(2, "update_page", '"1"', **TEXT).lost()
        story.write(8, "update_page", '"1"', **TEXT).status(412)
        return codes(story.page(9, 2, **body).claim("not_done"))

    assert "FL603" in looked(entrance="south", notice="open")
    assert "FL603" not in looked(entrance="west", notice="open")


def test_a_list_read_to_its_end_and_one_that_admits_that_it_is_not() -> None:
    first = {"rows": [1, 2], "next": "2", "complete": False}
    last = {"rows": [3], "next": None, "complete": True}

    def read(*pages: tuple[dict[str, Any], dict[str, str]], status: Any = "done", text: str = "") -> set[str]:
        story = Board("none", expect=())
        for number, (body, args) in enumerate(pages, 1):
            story.listed(number, "read_list", body, name="devices", **args)
        return codes(story.claim(status, text=text))

    assert read((first, {})) == {"FL605"}
    assert read((first, {}), text="2 so far: the list is partial.") == set()
    assert read((first, {}), status="refused") == set()
    assert read((first, {}), (last, {"cursor": "2"})) == set()
    assert read((first, {}), (last, {})) == set()
    assert read((first, {}), ({**last, "next": "3", "complete": False}, {"cursor": "2"})) == {"FL605"}
    assert read((last, {"cursor": "2"}), (first, {})) == {"FL605"}


@pytest.mark.parametrize(
    ("value", "wanted", "there"),
    [
        ("south entrance", "south", True),
        ("southern", "south", False),
        ({"a": ["x", {"b": "south"}]}, "south", True),
        ([1, 2.0], 2, True),
        ([True], 1, False),
        ("2", 2, False),
        ("", "", False),
    ],
)
def test_what_arguments_carry(value: Any, wanted: Any, there: bool) -> None:
    assert carries(value, wanted) == there


def test_a_token_is_whole() -> None:
    assert says("40.00 paid", "40.00")
    assert not says("140.00 paid", "40.00")


def test_severities_are_as_specified() -> None:
    veto = {"FL101", "FL103", "FL104", "FL701", "FL702", "FL703", "FL704"}
    assert {rule.code for rule in CATALOG.values() if rule.severity == "veto"} == veto
    fails = {CATALOG[code].severity for code in ("FL601", "FL602", "FL603", "FL604", "FL605")}
    assert fails == {"fail"}
