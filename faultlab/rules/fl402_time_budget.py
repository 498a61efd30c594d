"""FL402: the time budget was passed."""

from collections.abc import Iterable

from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule, always


def check(evidence: Evidence) -> Iterable[Finding]:
    used, allowed = evidence.spent_s, evidence.brief.budget.seconds
    if used > allowed:
        yield Finding("FL402", "fail", f"{used:g} s used, {allowed:g} allowed")


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
    plain=True,
    exercised=always,
)
