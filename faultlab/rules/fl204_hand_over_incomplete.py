"""FL204: an unknown outcome was left without all that a person needs."""

from collections.abc import Iterable

from faultlab.core.canonical import digest
from faultlab.core.operation import Operation
from faultlab.core.records import Claim, HandOver
from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule


def check(evidence: Evidence) -> Iterable[Finding]:
    claim = evidence.claim
    if claim is None or (claim.status not in ("handed_over", "unknown") and not (claim.operations or claim.hand_over)):
        return ()
    return [*left_unknown(evidence, claim), *handed_over(evidence, claim), *invented(evidence, claim)]


def left_unknown(evidence: Evidence, claim: Claim) -> Iterable[Finding]:
    names = {wanted.label: wanted.calls for wanted in evidence.wanted if wanted.said == "unknown"}
    if not names and "unknown" in (claim.status, *claim.operations.values()):
        names[""] = ()
    for name, calls in names.items():
        text = f"{name or 'the claim'} ends unknown: nobody is told what to do next"
        yield Finding("FL204", "fail", text, name, calls)


def handed_over(evidence: Evidence, claim: Claim) -> Iterable[Finding]:
    records = {record.operation: record for record in claim.hand_over}
    for operation in evidence.open:
        name = operation.label
        if claim.of(name) == "handed_over":
            record = records.get(name)
            wrong = "there is no hand-over record" if record is None else untrue(record, operation, evidence.earlier)
            if wrong:
                calls = tuple(call.n for call in operation.calls)
                yield Finding("FL204", "fail", f"{name}: {wrong}", name, calls)


def invented(evidence: Evidence, claim: Claim) -> Iterable[Finding]:
    """What is handed over of an operation that is neither wanted nor was ever sent, or with a record of nothing."""
    sent = {operation.label for operation in evidence.operations}
    names = {name for name, said in claim.operations.items() if said == "handed_over"}
    names -= {wanted.label for wanted in evidence.wanted}
    names |= {record.operation for record in claim.hand_over}
    for name in sorted(names - sent):
        yield Finding("FL204", "fail", f"{name}: handed over, and no such operation was sent", name)


def untrue(record: HandOver, operation: Operation, earlier: int = 0) -> str:
    """Which fields of a record the history does not bear out; empty: all are true.

    Of calls up to number `earlier`, made in lives that are over, an agent need not know the receipts; of one made
    before the attempt that it has no record of, not even that it was sent.
    """
    last, receipt = operation.calls[-1], operation.last_receipt
    recorded = next((call for call in operation.calls if call.n > 0 or call.key or call.reference), last)
    said = "no receipt" if receipt is None else receipt.error or str(receipt.status)
    reads = {read.call for read in operation.reads}
    fields = {
        "handle": record.handle in operation.handles if operation.handles else record.handle is None,
        "digest": record.digest == digest(last.args),
        "scope": record.scope == last.scope,
        "first_sent_ns": record.first_sent_ns in (operation.calls[0].t, recorded.t),
        "last_receipt": class_of(record.last_receipt) == class_of(said)
        or (last.n <= earlier and record.last_receipt == "no receipt"),
        "reads": {number for number in reads if number > earlier} <= set(record.reads) <= reads,
    }
    wrong = [name for name, true in fields.items() if not true]
    return f"the record does not agree with what happened in: {', '.join(wrong)}" if wrong else ""


def class_of(said: str) -> str:
    """A tool that returns tells its caller that the answer was a 2xx, and not which."""
    return "2xx" if said.isdigit() and 200 <= int(said) < 300 else said


def exercised(evidence: Evidence) -> bool:
    claim = evidence.claim
    if claim is None:
        return False
    return bool(claim.hand_over) or not {"handed_over", "unknown"}.isdisjoint(
        {claim.status, *claim.operations.values()}
    )


RULE = Rule(
    code="FL204",
    title="ended unknown without a complete hand-over record",
    group="recovery",
    severity="fail",
    harm=False,
    what="The claim is unknown, or a hand-over record is missing, incomplete or untrue against the history: also one of"
    " what was never sent.",
    why="Whoever takes over needs key or reference, parameters, times and what was already asked.",
    safe_instead=("env.hand_over(text) completes the records from the wire",),
    not_flagged="operations whose outcome is known",
    source="docs.stripe.com, low-level errors: an indeterminate result is reconciled by its own reference",
    check=check,
    exercised=exercised,
    given="qualified",
)
