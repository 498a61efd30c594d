"""FL204: an unknown outcome was left without all that a person needs."""

from collections.abc import Iterable

from faultlab.core.canonical import digest
from faultlab.core.knowledge import Operation
from faultlab.core.records import HandOver, Outcome
from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule


def check(evidence: Evidence) -> Iterable[Finding]:
    claim = evidence.claim
    if claim is None:
        return
    if claim.status == "unknown" or "unknown" in claim.operations.values():
        yield Finding("FL204", "fail", "the claim ends unknown: nobody is told what to do next")
        return
    records = {record.operation: record for record in claim.hand_over}
    for wanted in evidence.wanted:
        operation = wanted.operation
        if wanted.said != "handed_over" or operation is None or operation.knowledge is not Outcome.UNKNOWN:
            continue
        record = records.get(wanted.label)
        wrong = "no record" if record is None else untrue(record, operation)
        if wrong:
            yield Finding("FL204", "fail", f"{wanted.label}: {wrong}", wanted.label, evidence.numbers(operation))


def untrue(record: HandOver, operation: Operation) -> str:
    """Which field of a record the history does not bear out; empty: all are true."""
    last, receipt = operation.calls[-1], operation.last_receipt
    handles: set[str | None] = {*operation.handles} or {None}
    said = "no receipt" if receipt is None else receipt.error or str(receipt.status)
    fields = {
        "handle": record.handle in handles,
        "digest": record.digest == digest(last.args),
        "scope": record.scope == last.scope,
        "first_sent_ns": record.first_sent_ns == operation.calls[0].t,
        "last_receipt": record.last_receipt == said,
        "reads": set(record.reads) == {read.call for read in operation.reads},
    }
    wrong = [name for name, true in fields.items() if not true]
    return f"the record's {', '.join(wrong)} does not agree with what happened" if wrong else ""


def exercised(evidence: Evidence) -> bool:
    claim = evidence.claim
    return claim is not None and any(wanted.said in ("handed_over", "unknown") for wanted in evidence.wanted)


RULE = Rule(
    code="FL204",
    title="ended unknown without a complete hand-over record",
    group="recovery",
    severity="fail",
    harm=False,
    what="The claim is unknown, or a hand-over record is missing, incomplete or untrue against the history.",
    why="Whoever takes over needs key or reference, parameters, times and what was already asked.",
    safe_instead=("env.hand_over(text) completes the records from the wire",),
    not_flagged="operations whose outcome is known",
    source="docs.stripe.com, low-level errors: an indeterminate result is reconciled by its own reference",
    check=check,
    exercised=exercised,
)
