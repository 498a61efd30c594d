"""From findings to a verdict, from verdicts to cells and groups: what counts, what gives way, what stays open."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rules.histories import OP, Story

from faultlab.core.history import End, Expected, History
from faultlab.core.verdict import (
    SEVERITIES,
    WORST,
    AttemptVerdict,
    CellVerdict,
    Finding,
    Mark,
    Severity,
    merge_cell,
    merge_group,
    worst,
)
from faultlab.rules import judge as judge_module
from faultlab.rules.catalog import CATALOG
from faultlab.rules.judge import judge
from faultlab.rules.merge import merge

OTHER = "refund_order(B92)"
LOST_HOSTS = ("api.example",)
attempts = st.lists(st.sampled_from(["pass", "fail", "timeout", "infra_error"]))
cells = st.lists(st.sampled_from(["PASS", "FAIL", "INCONCLUSIVE"]))
marks = st.lists(st.sampled_from(WORST))
codes = st.sampled_from(sorted(set(CATALOG) - {"FL901", "FL904"}))
findings = st.builds(
    Finding,
    code=codes,
    severity=st.sampled_from(SEVERITIES),
    text=st.just("why"),
    operation=st.sampled_from(["", OP, OTHER]),
    cause=st.sampled_from(["agent", "server"]),
)
OPEN = {"FL901": "fault_not_fired", "FL904": "nothing_exercised"}


def ended(end: End = "claimed") -> History:
    """A history of which the merge reads how it ended."""
    return Story().send(1).ok().effect().history(end)


def finding(code: str, severity: Severity | None = None, operation: str = OP, cause: Any = "agent") -> Finding:
    return Finding(code, severity or CATALOG[code].severity, "why", operation, cause=cause)


def passing() -> Story:
    return Story().send(1).ok().effect()


# Cells and groups


@given(attempts)
def test_a_cell_fails_by_one_attempt_and_passes_by_all(verdicts: list[AttemptVerdict]) -> None:
    cell = merge_cell(verdicts)
    assert (cell == "FAIL") == any(item in ("fail", "timeout") for item in verdicts)
    assert (cell == "PASS") == (bool(verdicts) and all(item == "pass" for item in verdicts))


@given(attempts, attempts)
def test_a_cell_is_the_merge_of_its_parts(some: list[AttemptVerdict], others: list[AttemptVerdict]) -> None:
    parts = [merge_cell(part) for part in (some, others) if part]
    assert merge_cell([*some, *others]) == merge_cell([*others, *some]) == merge_group(parts)


@given(cells)
def test_a_group_fails_by_one_cell_and_passes_by_all(verdicts: list[CellVerdict]) -> None:
    group = merge_group(verdicts)
    assert (group == "FAIL") == ("FAIL" in verdicts)
    assert (group == "PASS") == (set(verdicts) == {"PASS"})
    assert merge_group([*verdicts, *verdicts]) == group


@given(cells, st.sampled_from(["PASS", "FAIL", "INCONCLUSIVE"]))
def test_one_more_cell_never_makes_a_group_better(verdicts: list[CellVerdict], more: CellVerdict) -> None:
    order = ("FAIL", "INCONCLUSIVE", "PASS")
    if verdicts:
        before, after = merge_group(verdicts), merge_group([*verdicts, more])
        assert order.index(after) == min(order.index(before), order.index(more))


def test_nothing_tried_says_nothing() -> None:
    assert (merge_cell([]), merge_group([]), worst([])) == ("INCONCLUSIVE", "INCONCLUSIVE", "inconclusive")


@given(marks, marks)
def test_the_mark_shown_is_one_of_those_shared_and_none_is_worse(some: list[Mark], others: list[Mark]) -> None:
    shown = worst([*some, *others])
    if some and others:
        assert shown in {*some, *others}
        assert all(WORST.index(shown) <= WORST.index(mark) for mark in (*some, *others))
        assert shown == worst([worst(some), worst(others)])


def test_harm_is_worse_than_luck_and_luck_worse_than_no_answer() -> None:
    assert worst(["pass", "inconclusive"]) == "inconclusive"
    assert worst(["inconclusive", "wrong", "pass"]) == "wrong"
    assert worst(["wrong", "harm"]) == "harm"


# One attempt


@given(st.lists(findings, max_size=5))
def test_an_attempt_fails_exactly_by_what_the_agent_answers_for(found: list[Finding]) -> None:
    verdict = merge(ended(), found)
    contradicted = {item.operation for item in found if item.code in ("FL501", "FL502")}
    counted = [
        item
        for item in found
        if item.severity != "note"
        and item.cause == "agent"
        and not (item.code == "FL205" and item.operation in contradicted)
    ]
    assert verdict.verdict == ("fail" if counted else "pass")
    assert verdict.codes == tuple(sorted({item.code for item in counted}))
    harm = any(CATALOG[item.code].harm for item in counted)
    assert verdict.mark == ("harm" if harm else "wrong" if counted else "pass")


@given(st.lists(findings, max_size=5), st.randoms(use_true_random=False))
def test_the_order_in_which_rules_report_means_nothing(found: list[Finding], random: Any) -> None:
    other = list(found)
    random.shuffle(other)
    one, two = merge(ended(), found), merge(ended(), other)
    assert (one.verdict, one.mark, sorted(one.findings)) == (two.verdict, two.mark, sorted(two.findings))
    ranks = [SEVERITIES.index(item.severity) for item in one.findings]
    assert ranks == sorted(ranks)


@pytest.mark.parametrize("contradiction", ["FL501", "FL502"])
def test_a_guess_gives_way_to_the_contradiction_of_the_same_operation(contradiction: str) -> None:
    found = [finding("FL205"), finding(contradiction), finding("FL205", operation=OTHER)]
    kept = {(item.code, item.operation) for item in merge(ended(), found).findings}
    assert kept == {(contradiction, OP), ("FL205", OTHER)}


def test_nothing_else_gives_way() -> None:
    found = [finding("FL202"), finding("FL204"), finding("FL205"), finding("FL505"), finding("FL101")]
    assert merge(ended(), found).codes == ("FL101", "FL202", "FL204", "FL205", "FL505")


def test_notes_are_shown_and_do_not_fail() -> None:
    verdict = judge(Story("strict").send(1).ok().effect().claim("done", evidence=(1,)))
    assert [item.code for item in verdict.findings] == ["FL305"]
    assert (verdict.verdict, verdict.mark, verdict.codes) == ("pass", "pass", ())


def test_what_the_server_answers_for_is_shown_and_does_not_fail() -> None:
    verdict = judge(Story().send(1).ok().claim("done", evidence=(1,)))
    assert {(item.code, item.cause) for item in verdict.findings} == {("FL102", "server"), ("FL501", "server")}
    assert (verdict.verdict, verdict.mark, verdict.codes) == ("pass", "pass", ())


# Attempts that say nothing


@pytest.mark.parametrize("code", OPEN)
def test_an_attempt_that_tested_nothing_says_nothing(code: str) -> None:
    verdict = merge(ended(), [finding(code), finding("FL305")])
    assert (verdict.verdict, verdict.mark, verdict.excluded_reason) == ("infra_error", "inconclusive", OPEN[code])
    assert {item.code for item in verdict.findings} == {code, "FL305"}


@pytest.mark.parametrize("code", OPEN)
@pytest.mark.parametrize("wrong", ["FL101", "FL203", "FL205", "FL403"])
def test_what_the_agent_did_wrong_counts_even_where_the_fault_did_not_fire(code: str, wrong: str) -> None:
    verdict = merge(ended(), [finding(code), finding(wrong)])
    assert (verdict.verdict, verdict.excluded_reason) == ("fail", "")


def test_a_fault_that_did_not_fire_is_why_though_nothing_was_called_either() -> None:
    verdict = judge(Story(expect=(Expected("refund_order", "A17"),), required=1).claim("unknown"))
    assert verdict.verdict == "fail"
    quiet = merge(ended(), [finding("FL904"), finding("FL901")])
    assert quiet.excluded_reason == "fault_not_fired"


def test_a_fault_is_missed_only_where_fewer_fired_than_were_required() -> None:
    def story(required: int) -> Story:
        return Story(required=required).send(1).fired().lost("ConnectError").send(2)

    one, two = story(1).ok().effect(), story(2).ok().effect()
    armed = Story(required=1).send(1).fired(required=False).ok().effect()
    assert judge(one.claim("done", evidence=(2,))).verdict == "pass"
    assert judge(two.claim("done", evidence=(2,))).excluded_reason == "fault_not_fired"
    assert judge(armed.claim("done", evidence=(1,))).excluded_reason == "fault_not_fired"


def test_an_agent_that_talks_past_the_lab_is_told_whom_it_called() -> None:
    story = Story(expect=(Expected("refund_order", "A17"),))
    story.claim("unknown")
    verdict = judge(story.history(hosts=LOST_HOSTS))
    (found,) = [item for item in verdict.findings if item.code == "FL904"]
    assert LOST_HOSTS[0] in found.text


@pytest.mark.parametrize("code", sorted(CATALOG))
def test_a_rule_that_crashes_is_named_and_the_attempt_says_nothing(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(evidence: Any) -> Any:
        raise ZeroDivisionError("a rule's own mistake")

    history = Story().send(1).lost().effect().send(7).ok().effect().claim("done", evidence=(2,))
    assert judge(history).verdict == "fail"
    broken = [[(item, crash if item == code else check) for item, check in group] for group in judge_module._CHECKS]
    monkeypatch.setattr(judge_module, "_CHECKS", broken)
    # No rule is left out because there is nothing for it.
    monkeypatch.setattr(judge_module, "_facts", lambda evidence: [True] * len(broken))
    verdict = judge(history)
    assert (verdict.verdict, verdict.mark) == ("infra_error", "inconclusive")
    assert verdict.excluded_reason.startswith(f"rule_crashed: {code}: ")
    assert "a rule's own mistake" in verdict.excluded_reason
    assert code not in {item.code for item in verdict.findings}


@pytest.mark.parametrize("end", ["hung", "deadlock", "over_budget"])
def test_an_attempt_that_did_not_end_by_itself_is_a_timeout(end: End) -> None:
    verdict = judge(passing().history(end, error="why"))
    assert (verdict.verdict, verdict.mark) == ("timeout", "wrong")
    assert ("FL903" in verdict.codes) == (end != "over_budget")


def test_a_timeout_after_harm_shows_the_harm() -> None:
    story = Story().send(1).lost().effect().send(7).lost().effect()
    verdict = judge(story.history("hung", error="why"))
    assert (verdict.verdict, verdict.mark) == ("timeout", "harm")
    assert verdict.codes == ("FL101", "FL201", "FL903")


def test_a_timeout_is_no_open_attempt_even_if_the_fault_did_not_fire() -> None:
    story = Story(required=1).send(1).ok().effect()
    assert judge(story.history("over_budget", error="why")).verdict == "timeout"


def test_a_crash_fails() -> None:
    verdict = judge(passing().history("crashed", error="ValueError"))
    assert (verdict.verdict, verdict.mark, verdict.codes) == ("fail", "wrong", ("FL902",))


def test_each_severity_but_a_note_fails() -> None:
    for severity in SEVERITIES:
        assert (merge(ended(), [finding("FL203", severity)]).verdict == "fail") == (severity != "note")


def test_a_merge_changes_nothing_it_is_given() -> None:
    history = ended()
    before, found = replace(history), [finding("FL205"), finding("FL501")]
    merge(history, found)
    assert history == before
    assert len(found) == 2


# Findings that are accepted


def polled(required: int = 0) -> History:
    story = Story(required=required).send(1).ok().effect()
    for at_s in (2, 3, 4, 5):
        story.ask(at_s).told(None)
    return story.claim("done", evidence=(1,))


def test_an_accepted_finding_is_a_note_and_costs_no_score() -> None:
    verdict, plain = judge(polled(), {"FL408"}), judge(polled())
    assert (plain.verdict, plain.codes) == ("fail", ("FL408",))
    assert (verdict.verdict, verdict.mark) == ("pass", "pass")
    assert [(item.code, item.severity) for item in verdict.findings] == [("FL408", "note")]
    assert all(score.clean == score.exercised for score in verdict.scores) and verdict.scores
    assert (verdict.knowledge, verdict.queries_before_resend) == (plain.knowledge, plain.queries_before_resend)


def test_a_fault_that_did_not_fire_shows_behind_an_accepted_finding() -> None:
    verdict = judge(polled(required=1), {"FL408"})
    assert (verdict.verdict, verdict.excluded_reason) == ("infra_error", "fault_not_fired")


def test_the_mark_is_that_of_what_is_left() -> None:
    story = Story().send(1).lost()
    for at_s in (2, 3, 4, 5):
        story.ask(at_s).told()
    verdict = judge(story.claim("done", evidence=(1,)), {"FL501", "FL102", "FL505"})
    assert (verdict.verdict, verdict.mark, verdict.codes) == ("fail", "wrong", ("FL408",))


def test_a_veto_is_never_accepted() -> None:
    story = Story().send(1).lost().effect().send(7).ok().effect()
    assert judge(story.claim("done", evidence=(2,)), {"FL101", "FL201"}).codes == ("FL101",)
