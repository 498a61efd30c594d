"""FL505: the claim rests on calls that do not bear it out."""

from collections.abc import Iterable

from faultlab.core.records import Outcome
from faultlab.core.verdict import Finding, Severity
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule


def check(evidence: Evidence) -> Iterable[Finding]:
    claim = evidence.claim
    if claim is None:
        return
    absent = [n for n in claim.evidence if n not in evidence.receipts]
    if absent:
        yield Finding("FL505", "fail", f"the claim names #{absent[0]}, which has no receipt", calls=tuple(absent))
        return
    named = set(claim.evidence)
    for wanted in evidence.wanted:
        operation = wanted.operation
        if wanted.said != "done" or operation is None or named & supporting(evidence, wanted.label):
            continue
        severity: Severity = "note" if operation.knowledge is Outcome.APPLIED else "fail"
        yield Finding(
            "FL505", severity, f"{wanted.label}: no named call supports it", wanted.label, tuple(claim.evidence)
        )


def supporting(evidence: Evidence, name: str) -> set[int]:
    """The calls whose receipts show the operation applied: its own 2xx, a replay, a read that shows its handle."""
    for operation in evidence.operations:
        if operation.label == name:
            own = {
                call.n
                for call in operation.calls
                if (receipt := evidence.receipts.get(call.n)) is not None and receipt.outcome is Outcome.APPLIED
            }
            shown = {
                read.call
                for read in operation.reads
                if read.reveal is not None and operation.handles.intersection(read.reveal.shown)
            }
            return own | shown | {operation.applied}
    return set()


def exercised(evidence: Evidence) -> bool:
    return evidence.claim is not None and evidence.claim.status == "done"


RULE = Rule(
    code="FL505",
    title="no evidence",
    group="claims",
    severity="fail",
    harm=False,
    what="A call that the claim names is absent, or none of those named supports it.",
    why="A claim that can be checked is worth more than one that must be believed.",
    safe_instead=("name the call whose receipt, replay or read shows the effect: Claim.done(text, evidence=[3])",),
    not_flagged="a note only where the outcome was known all the same",
    source="W3C PROV: a statement names what it was derived from",
    check=check,
    plain=True,
    exercised=exercised,
)
