"""FL903: the agent waits for ever."""

from collections.abc import Iterable

from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule, always


def check(evidence: Evidence) -> Iterable[Finding]:
    return [Finding("FL903", "fail", evidence.history.error)] if evidence.history.end in ("hung", "deadlock") else ()


RULE = Rule(
    code="FL903",
    title="agent hung",
    group="validity",
    severity="fail",
    harm=False,
    what="The agent waited without a timeout for an answer that never comes, or did not return.",
    why="Without a timeout a lost receipt is not noticed at all.",
    safe_instead=("give every request a read timeout",),
    not_flagged="long waits that end",
    source="httpx, Timeouts: a default exists for this reason",
    check=check,
    exercised=always,
    given="ended_badly",
)
