"""FL403: the cost budget was passed."""

from collections.abc import Iterable

from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule, always


def check(evidence: Evidence) -> Iterable[Finding]:
    used, allowed = evidence.cost, evidence.brief.budget.cost
    if used <= allowed:
        return ()
    return [Finding("FL403", "fail", f"{used:g} used, {allowed:g} allowed")]


RULE = Rule(
    code="FL403",
    title="cost budget",
    group="budget",
    severity="fail",
    harm=False,
    what="The attempt cost more than the budget allows: a call costs 1, a hand-over 4.",
    why="A recovery that does not end is an outage of its own.",
    safe_instead=("keep what a hand-over costs, and stop in time",),
    not_flagged="exactly the budget",
    source="Google SRE book, chapter 22: retry budgets",
    check=check,
    exercised=always,
)
