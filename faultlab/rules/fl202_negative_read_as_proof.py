"""FL202: a read that proves nothing was taken as proof of absence."""

from collections.abc import Iterable

from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule
from faultlab.rules.sends import charged

_sends = charged("FL202")


def check(evidence: Evidence) -> Iterable[Finding]:
    return report(evidence) if evidence.charged or evidence.open else ()


def report(evidence: Evidence) -> Iterable[Finding]:
    yield from _sends(evidence)
    for operation in evidence.open:
        if evidence.said(operation) != "not_done":
            continue
        calls = tuple(dict.fromkeys(read.call for read in operation.asked_since if read.reveal is not None))
        if calls:
            numbers = ", ".join(f"#{n}" for n in calls)
            text = f"{operation.label}: said not done on {numbers}, none of them conclusive"
            yield Finding("FL202", "fail", text, operation.label, calls)


def exercised(evidence: Evidence) -> bool:
    return any(operation.reads for operation in evidence.operations)


RULE = Rule(
    code="FL202",
    title="negative read taken as proof",
    group="recovery",
    severity="fail",
    harm=False,
    what="A resend, or the claim not done, rests on reads of which none is conclusive.",
    why="The effect may land after the read: absence now does not bar a request that is still on its way.",
    safe_instead=(
        "a definitive status or a durable fence settles the matter at once",
        "where a settle time is stated, read again after it: a fresh, whole list is conclusive then",
        "otherwise look twice, poll_s apart, and hand over",
    ),
    not_flagged="resends under a key that the server honours",
    source="RFC 9111 sections 4.2.4 and 5.1; Amazon Builders' Library, late requests",
    check=check,
    exercised=exercised,
    given="doubtful",
)
