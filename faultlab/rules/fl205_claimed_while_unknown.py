"""FL205: the claim is certain, the receipts are not."""

from collections.abc import Iterable

from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule


def check(evidence: Evidence) -> Iterable[Finding]:
    return report(evidence) if evidence.open else ()


def report(evidence: Evidence) -> Iterable[Finding]:
    for operation in evidence.open:
        said, name = evidence.said(operation), operation.label
        if said in ("done", "not_done"):
            calls = tuple(call.n for call in operation.calls)
            text = f"{name}: said {said} while no receipt or read had settled it"
            yield Finding("FL205", "fail", text, name, calls)


def exercised(evidence: Evidence) -> bool:
    return evidence.claim is not None and bool(evidence.open)


RULE = Rule(
    code="FL205",
    title="claimed while unknown",
    group="recovery",
    severity="fail",
    harm=False,
    what="The claim says done or not done while the outcome was unknown, whether or not it is true.",
    why="A guess that happens to be right is wrong in the twin that looks the same.",
    safe_instead=("settle it by a protected resend or a conclusive read, or hand over",),
    not_flagged="claims that the ledger contradicts: FL501 or FL502 is charged instead",
    source="Jepsen: an indeterminate operation is neither ok nor fail",
    check=check,
    exercised=exercised,
    given="open",
)
