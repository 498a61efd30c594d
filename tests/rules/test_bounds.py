"""Where a rule begins and ends: the last moment, the last call and the last effect that it still leaves alone."""

from typing import Any

from rules.boards import Board
from rules.histories import Story, at
from rules.pairs_versions import NOTE, PUBLISH, TEXT

from faultlab.core.history import History
from faultlab.core.profiles import PROFILES
from faultlab.core.records import Crashed, Reveal
from faultlab.rules.judge import judge


def codes(history: History) -> set[str]:
    return set(judge(history).codes)


def test_a_scenario_that_accepts_only_a_hand_over_does_not_accept_done() -> None:
    def claimed(*accept: Any) -> set[str]:
        return codes(Story(accept=accept).send(1).ok().effect().claim("done", evidence=(1,)))

    assert claimed("handed_over") == {"FL203"}
    assert claimed("handed_over", "done") == set()


def test_a_surplus_that_only_the_server_made_is_the_servers_though_the_agent_sent_blindly() -> None:
    """Two sends, of which one had an effect: without the copy that the server made there would be no surplus."""
    history = Story().send(1).lost().send(2).ok().effect().effect(cause="server").claim("done", evidence=(2,))
    assert [item.cause for item in judge(history).findings if item.code == "FL101"] == ["server"]


def test_what_is_taken_back_by_the_moment_of_the_claim_is_taken_back() -> None:
    def reversed_at(moment_s: float) -> set[str]:
        story = Story().send(1).lost().effect().send(7).ok().effect()
        story.send(9, tool="reverse_refund").ok().effect(tool="reverse_refund", reverses="e2", at_s=moment_s)
        return codes(story.claim("done", 60, evidence=(2,))) & {"FL101", "FL105"}

    assert reversed_at(60) == {"FL105"}
    assert reversed_at(60.000_001) == {"FL101"}


def test_only_a_question_that_failed_three_times_in_a_row_is_a_reason_to_do_nothing() -> None:
    """A surface that answers is not worn out, however often it was asked, and each answer begins the count again."""

    def gave_up(*answered: bool) -> bool:
        story = Story()
        for place, well in enumerate(answered):
            story.ask(2.0**place, "get_order", order_id="A17")
            story = story.told() if well else story.lost()
        return "FL203" in codes(story.claim("not_done", 20))

    assert not gave_up(False, False, False)
    assert gave_up(True, True, True)
    assert gave_up(False, False, True, False)
    assert not gave_up(True, False, False, False)


def test_what_the_last_call_before_a_crash_told_was_learnt_in_a_life_that_is_over() -> None:
    """A journal says what was sent, not what came of it: nobody need know that the first call was answered."""

    def handed_over(*, died: bool) -> set[str]:
        story = Story("strict").send(1, key="k1").ok().effect()
        if died:
            story.events.append(Crashed(at(2), 1, "kept"))
        return codes(story.handed_over()) & {"FL503"}

    assert handed_over(died=False) == {"FL503"}
    assert handed_over(died=True) == set()


def test_an_approval_that_was_read_one_poll_interval_ago_was_looked_at_just_before() -> None:
    """Nobody need look at a thing again sooner than that."""
    poll_s = PROFILES["none"].poll_s

    def published(after_s: float) -> set[str]:
        story = Board("none", expect=(PUBLISH,)).approval(1, NOTE)
        story.meddled(2, "approvals/ap1", {"withdrawn_at_s": None}, {"withdrawn_at_s": 2}, actor="human")
        story.write(1.1 + after_s, "publish", **NOTE, approval="ap1").ok().done()
        return codes(story.claim("done", evidence=(2,)))

    assert published(poll_s) == set()
    assert published(poll_s + 0.001) == {"FL702"}


def test_a_look_in_the_moment_of_the_next_decision_was_a_look() -> None:
    """A clock may stand still between two calls: their numbers say which was first."""
    desk = Reveal("update_page", "poster", None, ("desk",), "present")

    def decided(at_s: float) -> set[str]:
        story = Board().page(1, 1, entrance="north", notice="open")
        story.write(2, "update_page", '"1"', "r1", **TEXT).lost()
        story.write(8, "update_page", '"1"', "r1", **TEXT).status(412)
        story.listed(9, "list_revisions", {}, desk, page_id="poster")
        story.write(at_s, "update_page", '"2"', "r1", **{**TEXT, "entrance": "east"}).ok().done()
        return codes(story.claim("done", evidence=(5,))) & {"FL603"}

    assert decided(9) == decided(10) == set()
    assert decided(8.5) == {"FL603"}
