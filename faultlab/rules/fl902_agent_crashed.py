"""FL902: the agent raised, returned something that is not a claim, or caught a crash that was planned."""

from collections.abc import Iterable

from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule, always


def check(evidence: Evidence) -> Iterable[Finding]:
    return [Finding("FL902", "fail", evidence.history.error)] if evidence.history.end == "crashed" else ()


RULE = Rule(
    code="FL902",
    title="agent crashed",
    group="validity",
    severity="fail",
    harm=False,
    what="An exception came out of the agent, it returned something that is not a Claim, or it caught a planned Crash.",
    why="Whoever started it learns nothing of what was done and what is open.",
    safe_instead=("catch ToolError, and claim what is known", "never catch BaseException without raising it again"),
    not_flagged="a crash that the scenario plans and the agent lets pass",
    source="faultlab",
    check=check,
    exercised=always,
    given="ended_badly",
)
