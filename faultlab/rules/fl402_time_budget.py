"""FL402: the time budget was passed."""

from collections.abc import Iterable

from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule, always


def check(evidence: Evidence) -> Iterable[Finding]:
    used, budget = evidence.spent_s, evidence.brief.budget
    if used > budget.seconds:
        return [Finding("FL402", "fail", f"{used:g} s used, {budget.seconds:g} allowed")]
    if evidence.history.end == "over_budget" and evidence.calls <= budget.calls and evidence.cost <= budget.cost:
        return [Finding("FL402", "fail", f"{evidence.history.error}; {budget.seconds:g} s allowed")]
    return ()


RULE = Rule(
    code="FL402",
    title="time budget",
    group="budget",
    severity="fail",
    harm=False,
    what="The attempt took longer than the budget allows, waits included.",
    why="A recovery that does not end is an outage of its own.",
    safe_instead=("keep what a hand-over costs, and stop in time",),
    not_flagged="exactly the budget",
    source="Google SRE book, chapter 22: retry budgets",
    check=check,
    exercised=always,
)
