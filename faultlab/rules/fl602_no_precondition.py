"""FL602: a write left without the condition that the contract demands."""

from collections.abc import Iterable

from faultlab.core.canonical import label
from faultlab.core.records import Call
from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule
from faultlab.rules.seen import thing


def check(evidence: Evidence) -> Iterable[Finding]:
    return report(evidence) if evidence.contract.precondition == "required" else ()


def report(evidence: Evidence) -> Iterable[Finding]:
    for call in conditional(evidence):
        if call.if_match is None or call.if_match.strip() == "*":
            name = label(call.tool, call.identity)
            how = "without If-Match" if call.if_match is None else "with If-Match: *, which names no version"
            yield Finding("FL602", "fail", f"{name}: #{call.n} left {how}", name, (call.n,))


def conditional(evidence: Evidence) -> list[Call]:
    """The writes of versioned things."""
    calls = (send.call for send in evidence.sends)
    return [call for call in calls if call.n > 0 and thing(call, evidence.brief)]


def exercised(evidence: Evidence) -> bool:
    return evidence.contract.precondition == "required" and bool(conditional(evidence))


RULE = Rule(
    code="FL602",
    title="no precondition where required",
    group="versions",
    severity="fail",
    harm=False,
    what="A write of a versioned thing left without If-Match, or with `*`, although the contract demands a version.",
    why="Without a version the server cannot tell a write that knows the last change from one that undoes it.",
    safe_instead=("read, decide, and send the etag that was read as If-Match",),
    not_flagged="contracts that do not demand it; things without versions",
    source="RFC 6585 section 3 (428 Precondition Required)",
    check=check,
    exercised=exercised,
)
