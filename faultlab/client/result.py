"""client: how an operation ended, for code, for a model and for a person."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, NamedTuple

from faultlab.client.steps import Stop
from faultlab.client.words import for_model
from faultlab.client.work import Work
from faultlab.core.canonical import label
from faultlab.core.carried import Carried
from faultlab.core.clock import NS
from faultlab.core.records import HandOver, Outcome, Status
from faultlab.records.journal_rows import Journal, OperationRow


class Evidence(NamedTuple):
    """One request or question, and what came back."""

    n: int
    tool: str
    sent_at: str
    """ISO 8601, UTC."""
    key: str | None
    reference: str | None
    outcome: Outcome
    """What its receipt proves about it alone."""
    said: str
    """Status, name of the exception, or `no receipt`."""
    proves: bool
    """The outcome of the operation rests on it."""
    body: Any = None
    """The body of its answer: the JSON value, or the text where it is none."""


@dataclass(frozen=True, slots=True)
class Result:
    """What is known of an operation when its call ends."""

    operation: str
    """`refund_order(A17)`; `#2` for the second operation of that tool and identity."""
    status: Status
    """`done`, `not_done`, `refused`, or `handed_over`: a person, or a later `reconcile()`, must find out."""
    outcome: Outcome
    value: Any = None
    """What the tool returned; where a query proved it, the row that was found. As JSON where it comes from the
    journal."""
    evidence: tuple[Evidence, ...] = ()
    hand_over: HandOver | None = None
    """With `handed_over`, once something was sent. Its times are nanoseconds since the epoch."""
    resumable: bool = False
    """Something is left to be done that this call had no budget for: `call` again or `reconcile()` goes on."""
    not_before: str | None = None
    """ISO 8601, UTC: the server asked not to be called before."""
    why: str = ""
    """What the last answer said of it, in short."""

    def for_model(self) -> str:
        """Plain text for a language model: what is known, and what to do next."""
        return for_model(self)


class NotDone(Carried):
    """The operation was not carried out, and that is certain. `result` says why."""

    def __init__(self, result: Result) -> None:
        super().__init__(result.for_model())
        self.result = result


class OutcomeUnknown(Carried):
    """Whether the operation was carried out is not known, or not yet. `result` holds the hand-over record."""

    def __init__(self, result: Result) -> None:
        super().__init__(result.for_model())
        self.result = result


def unwrap(result: Result) -> Any:
    """The value of a done operation. Raises NotDone or OutcomeUnknown."""
    if result.outcome is Outcome.APPLIED:
        return result.value
    raise OutcomeUnknown(result) if result.outcome is Outcome.UNKNOWN else NotDone(result)


def told(work: Work, stop: Stop) -> Result:
    """The result of an operation that came to its end now."""
    status: Status = "handed_over" if stop.status == "unknown" else stop.status
    return _result(work, status, resumable=status in ("handed_over", "not_done") and work.resumable)


def stored(work: Work) -> Result:
    """The result of an operation that the journal says was done: nothing is sent."""
    return _result(work, "done", resumable=False)


def held(work: Work) -> Result:
    """Somebody else is at it, and was not finished in time."""
    return _result(work, "handed_over", resumable=True)


OUTCOMES = {"done": Outcome.APPLIED, "handed_over": Outcome.UNKNOWN}


def _result(work: Work, status: Status, *, resumable: bool) -> Result:
    operation = work.operation
    proof = operation.applied or operation.settled_by
    value = work.value() if operation.applied else work.row.value
    return Result(
        operation=operation.label,
        status=status,
        outcome=OUTCOMES.get(status, Outcome.NOT_APPLIED),
        value=value if status == "done" else None,
        evidence=tuple(_evidence(work, n, proof) for n in sorted(work.calls)),
        hand_over=work.record() if status == "handed_over" and operation.calls else None,
        resumable=resumable,
        not_before=None if status == "done" else iso(work.not_before_ns),
        why=_why(work),
    )


def _evidence(work: Work, n: int, proof: int) -> Evidence:
    row, receipt = work.calls[n], work.receipts.get(n)
    outcome = Outcome.UNKNOWN if receipt is None else receipt.outcome
    said = "no receipt" if receipt is None else receipt.error or str(receipt.status)
    sent_at = iso(row.t_ns)
    assert sent_at is not None
    return Evidence(n, row.tool, sent_at, row.key, row.reference, outcome, said, n == proof, receipt and receipt.body)


def _why(work: Work) -> str:
    last = work.operation.refusal or work.operation.last_receipt
    if last is None:
        return ""
    said = last.error or f"status {last.status}"
    body = last.body
    detail = body.get("detail") or body.get("message") or body.get("title") if isinstance(body, dict) else None
    return f"{said}: {detail}" if isinstance(detail, str) else said


LAST_S = 253_402_300_799
"""The end of the year 9999: a server may ask for more, but no calendar here shows it."""


def iso(at_ns: int | None) -> str | None:
    """A moment for people, to the second, never too early."""
    if at_ns is None:
        return None
    return datetime.fromtimestamp(min(-(-at_ns // NS), LAST_S), UTC).isoformat().replace("+00:00", "Z")


def undeclared(journal: Journal, row: OperationRow, why: str) -> Result:
    """The result of an open operation whose tool nobody here can ask: all that the journal holds of it, and `why`."""
    found = journal.claim(row, row.began_ns, 0)
    if found.mine:
        journal.release(found.row)
    sent = [call for call in found.calls if call.kind == "write"]
    said = {receipt.n: receipt.error or str(receipt.status) for receipt in found.receipts}
    name = label(row.tool, row.identity, row.ordinal)
    if not sent:
        return Result(name, "not_done", Outcome.NOT_APPLIED, resumable=True, why=why)
    last, asked = sent[-1], tuple(call.n for call in found.calls if call.kind != "write")
    record = HandOver(
        name,
        last.key or last.reference,
        last.digest,
        last.scope,
        sent[0].t_ns,
        said.get(last.n, "no receipt"),
        asked,
    )
    return Result(name, "handed_over", Outcome.UNKNOWN, hand_over=record, resumable=True, why=why)
