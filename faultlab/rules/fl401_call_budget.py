"""FL401: the call budget was passed."""

from collections.abc import Iterable

from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule, always


def check(evidence: Evidence) -> Iterable[Finding]:
    used, allowed = evidence.calls, evidence.brief.budget.calls
    if used <= allowed:
        return ()
    return [Finding("FL401", "fail", f"{used:g} calls used, {allowed:g} allowed")]


RULE = Rule(
    code="FL401",
    title="call budget",
    group="budget",
    severity="fail",
    harm=False,
    what="More calls were made than the budget allows; status queries and fences count.",
    why="A recovery that does not end is an outage of its own.",
    safe_instead=("keep what a hand-over costs, and stop in time",),
    not_flagged="exactly the budget",
    source="Google SRE book, chapter 22: retry budgets",
    check=check,
    exercised=always,
)
