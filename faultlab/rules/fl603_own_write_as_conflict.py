"""FL603: a conflict that the own write may have made was taken for somebody else's."""

from collections.abc import Container, Iterable
from typing import NamedTuple

from faultlab.core.operation import Operation, same_parameters
from faultlab.core.records import Call, Outcome, Receipt
from faultlab.core.refusals import IN_FLIGHT, KEY_EXPIRED, KEY_INVALID, KEY_MISMATCH, KEY_MISSING, meaning_of
from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule
from faultlab.rules.seen import View, seen, thing

CONFLICTS = frozenset({409, 412})
OTHER_REASONS = frozenset({IN_FLIGHT, KEY_EXPIRED, KEY_INVALID, KEY_MISMATCH, KEY_MISSING, "cancelled", "barred"})
"""Codes of a 409 or 412 that speaks of the key or of a fence, not of the thing."""


class Conflict(NamedTuple):
    """A resend that met a conflict while an earlier call was unknown, and what was done about it next."""

    unknown: Call
    refused: Call
    receipt: Receipt
    next_send: Call | None
    """The operation's next call that is not the same once more; None: there was none."""


def check(evidence: Evidence) -> Iterable[Finding]:
    for operation in evidence.operations:
        if (conflict := conflict_of(evidence, operation)) is not None:
            yield from report(evidence, operation, conflict)


def conflict_of(evidence: Evidence, operation: Operation) -> Conflict | None:
    """The operation's last one; the same request once more meets the same."""
    found: Conflict | None = None
    unknown: Call | None = None
    for place, call in enumerate(operation.calls):
        receipt = evidence.receipts.get(call.n)
        if receipt is None or receipt.outcome is Outcome.UNKNOWN:
            unknown = unknown or call
        elif unknown is not None and receipt.status in CONFLICTS and meaning_of(receipt.body) not in OTHER_REASONS:
            others = (item for item in operation.calls[place + 1 :] if not same_parameters(item, call))
            if found is None or not same_parameters(found.refused, call):
                found = Conflict(unknown, call, receipt, next(others, None))
    return found


def report(evidence: Evidence, operation: Operation, conflict: Conflict) -> Iterable[Finding]:
    said = evidence.said(operation)
    if conflict.next_send is None and (
        said not in ("not_done", "refused") or operation.knowledge is Outcome.NOT_APPLIED
    ):
        return  # nothing was made of it; or what had been lost is known to have come to nothing
    did = f"said {said}" if conflict.next_send is None else f"#{conflict.next_send.n} was decided anew"
    before = conflict.next_send.t if conflict.next_send is not None else evidence.history.events[-1].t
    reads = [
        read for read in operation.reads if read.reveal is not None and conflict.receipt.t <= read.started_ns <= before
    ]
    views = views_after(evidence, conflict, before)
    own = [read.call for read in reads if read.reveal and operation.handles & set(read.reveal.shown)]
    identity = evidence.brief.writes[operation.tool].identity
    own += [view.call for view in views if says_the_same(view, conflict.unknown, identity)]
    met = f"#{conflict.refused.n} met {conflict.receipt.status} after #{conflict.unknown.n} was lost"
    if own:
        text = f"{operation.label}: {met}; #{own[0]} showed the own write, and yet {did}"
    elif not reads and not views:
        text = f"{operation.label}: {met}; {did} with no look whose write it was"
    else:
        return
    calls = (conflict.unknown.n, conflict.refused.n, *own[:1])
    yield Finding("FL603", "fail", text, operation.label, calls)


def views_after(evidence: Evidence, conflict: Conflict, before_ns: int) -> list[View]:
    """What was read of the thing itself after the conflict."""
    name = thing(conflict.refused, evidence.brief)
    if not name:
        return []
    views = (view for view in seen(evidence).views if view.object == name)
    return [view for view in views if conflict.receipt.t <= view.asked_ns <= before_ns]


def says_the_same(view: View, call: Call, identity: Container[str]) -> bool:
    """The thing is as the own call would have left it."""
    written = {name: value for name, value in call.args.items() if name not in identity}
    return bool(written) and all(name in view.body and view.body[name] == value for name, value in written.items())


def exercised(evidence: Evidence) -> bool:
    return any(conflict_of(evidence, operation) is not None for operation in evidence.operations)


RULE = Rule(
    code="FL603",
    title="own write taken for a foreign conflict",
    group="versions",
    severity="fail",
    harm=False,
    what="A resend met a 412 or 409, and was given up or decided anew as if somebody else had been there first.",
    why="The first call, whose receipt was lost, makes exactly this conflict when it succeeded.",
    safe_instead=(
        "read, and compare: the own reference or the own content means that the write is done",
        "only another's write is a conflict: then decide again",
    ),
    not_flagged="a conflict with no earlier unknown call; a read that shows somebody else's write",
    source="RFC 9110 section 13.1.1: the change may have been made by a request whose response was lost",
    check=check,
    exercised=exercised,
    given="troubled",
)
