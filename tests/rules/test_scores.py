"""Scores of groups of rules: each group counts the operations that gave it something to judge."""

from rules.histories import Story

from faultlab.core.history import Expected, History
from faultlab.core.verdict import Score, added
from faultlab.report.scores import GROUPS
from faultlab.rules.catalog import RULES
from faultlab.rules.judge import judge
from faultlab.rules.scores import SCORED

TWO = (Expected("refund_order", "A17"), Expected("refund_order", "B92"))


def scores(history: History) -> dict[str, tuple[int, int]]:
    return {score.group: (score.clean, score.exercised) for score in judge(history).scores}


def test_each_group_has_a_denominator_of_its_own() -> None:
    # A17 lost its receipt and was sent again without care; B92 went well.
    story = (
        Story(expect=TWO).send(1).lost().effect().send(7).ok().effect().send(8, order="B92").ok().effect(order="B92")
    )
    assert scores(story.claim("done", evidence=(2, 3))) == {
        "effects": (1, 2),
        "recovery": (0, 1),
        "budget": (2, 2),
        "pace": (1, 1),
        "claims": (2, 2),
    }


def test_a_group_that_had_nothing_to_judge_has_no_score() -> None:
    found = scores(Story().send(1).ok().effect().claim("done", evidence=(1,)))
    assert found == {"effects": (1, 1), "budget": (1, 1), "claims": (1, 1)}
    assert "keys" in scores(Story("strict").send(1, key="k1").ok().effect().claim("done", evidence=(1,)))


def test_a_finding_that_names_no_operation_counts_against_all() -> None:
    story = Story(expect=TWO).send(1).ok().effect().send(2, order="B92").ok().effect(order="B92")
    assert scores(story.claim("done", at_s=10_000, evidence=(1, 2)))["budget"] == (0, 2)


def test_what_the_agent_does_not_answer_for_and_notes_cost_nothing() -> None:
    note = Story("strict").send(1).ok().effect().claim("done", evidence=(1,))
    assert [item.severity for item in judge(note).findings] == ["note"]
    assert scores(note)["keys"] == (1, 1)


def test_scores_add_up_group_by_group() -> None:
    both = added([Score("keys", 1, 2), Score("claims", 3, 3), Score("keys", 2, 2)])
    assert both == (Score("keys", 3, 4), Score("claims", 3, 3))


def test_every_group_but_validity_is_scored_and_shown() -> None:
    groups = {rule.group for rule in RULES}
    assert set(SCORED) == set(GROUPS)
    assert groups - {"validity"} <= set(SCORED)
