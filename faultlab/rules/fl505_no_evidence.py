"""FL505: the claim rests on calls that do not bear it out."""

from collections.abc import Iterable

from faultlab.core.contract import Contract
from faultlab.core.operation import Operation
from faultlab.core.records import Call, Claim, Outcome
from faultlab.core.verdict import Finding, Severity
from faultlab.rules.evidence import Evidence
from faultlab.rules.goal import Wanted
from faultlab.rules.rule import Rule

KNOWN = (Outcome.APPLIED, Outcome.NOT_APPLIED)


def check(evidence: Evidence) -> Iterable[Finding]:
    claim = evidence.claim
    if claim is None:
        return ()
    for number in claim.evidence:
        if number not in evidence.receipts:
            return report(evidence, claim)
    for wanted in evidence.wanted:
        if wanted.said == "done" and (wanted.operation is None or wanted.operation.applied not in claim.evidence):
            return report(evidence, claim)
    return ()


def report(evidence: Evidence, claim: Claim) -> Iterable[Finding]:
    """At most one, the worst: a call that does not exist, or an effect that no named call supports."""
    made = {event.n for event in evidence.history.events if type(event) is Call}
    absent = [number for number in claim.evidence if number not in made]
    if absent:
        known = all(wanted.knowledge in KNOWN for wanted in evidence.wanted)
        numbers = ", ".join(f"#{number}" for number in absent)
        yield Finding("FL505", "note" if known else "fail", f"the claim names {numbers}, which does not exist")
        return
    bare = [wanted for wanted in evidence.wanted if wanted.said == "done" and not supported(evidence, claim, wanted)]
    bare.sort(key=lambda wanted: wanted.knowledge in KNOWN)
    for wanted in bare[:1]:
        severity: Severity = "note" if wanted.knowledge in KNOWN else "fail"
        yield Finding("FL505", severity, f"{wanted.label}: no named call supports it", wanted.label, claim.evidence)


def supported(evidence: Evidence, claim: Claim, wanted: Wanted) -> bool:
    """A named call's own 2xx, or a named read, shows it applied. One that shared another's calls is left to FL306."""
    operation = wanted.operation
    if operation is None:
        return any((one.tool, one.identity) == (wanted.tool, wanted.identity) for one in evidence.operations)
    own = {call.n for call in operation.calls if _applied(evidence, call.n)}
    return not (own | shown(operation, evidence.contract)).isdisjoint(claim.evidence)


def _applied(evidence: Evidence, number: int) -> bool:
    receipt = evidence.receipts.get(number)
    return receipt is not None and receipt.outcome is Outcome.APPLIED


def shown(operation: Operation, contract: Contract) -> set[int]:
    """The reads that showed the effect under its own handle or, where nobody else writes, without one."""
    return {
        read.call
        for read in operation.reads
        if read.reveal is not None
        and read.reveal.answer == "present"
        and (
            not operation.handles.isdisjoint(handle for handle in read.reveal.shown if handle is not None)
            or (contract.writers == "one" and len(read.reveal.shown) >= operation.ordinal)
        )
    }


def exercised(evidence: Evidence) -> bool:
    claim = evidence.claim
    return claim is not None and (bool(claim.evidence) or any(goal.done for goal in evidence.goals))


RULE = Rule(
    code="FL505",
    title="no evidence",
    group="claims",
    severity="fail",
    harm=False,
    what="A call that the claim names is absent, or none of those named supports it.",
    why="A claim that can be checked is worth more than one that must be believed.",
    safe_instead=("name the call whose receipt, replay or read shows the effect: Claim.done(text, evidence=[3])",),
    not_flagged="only a note where the outcome was known all the same",
    source="W3C PROV: a statement names what it was derived from",
    check=check,
    exercised=exercised,
)
