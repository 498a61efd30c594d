"""Moves and looks of which the correct agents are put together, each in its own order."""

from faultlab.client.approvals import look_at
from faultlab.client.execute import drive
from faultlab.client.moves import stop
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Invoke, Sleep, Steps, Stop
from faultlab.core.entitled import Move
from faultlab.core.records import Outcome, Status


def ending(job: Recovery, status: Status) -> Stop:
    """An end that names its evidence or, where it is a hand-over, has the record."""
    return drive(job, stop(status)(job))


def refused(job: Recovery) -> Status | None:
    """What to say of a request that would be refused again; None: another one can be made of it, or there is none."""
    refusal = job.refusal
    if refusal is None or refusal.kind == "key" or job.undecided:
        return None
    return "refused" if refusal.kind == "authority" else "not_done"


def spent(job: Recovery) -> Status | None:
    """What to say where no further call can be afforded, or only after a wait beyond the budget."""
    unknown = job.knowledge is Outcome.UNKNOWN
    if job.left.affords(0 if unknown else job.retry_after_ns):
        return None
    return "handed_over" if unknown else "not_done"


def waiting(job: Recovery, wait_s: float) -> Steps:
    """Wait, but not past the time budget."""
    if wait_s > 0:
        yield Sleep(job.within_budget_s(wait_s))
    return None


def sending(job: Recovery) -> Steps:
    """The call that is meant, under an approval that holds and with handles that can still do something."""
    if (ended := (yield from look_at(job))) is not None:
        return ended
    if job.sends:
        job.renew_handles()
    yield job.request()
    return None


def asking(job: Recovery, move: Move) -> Steps:
    """One question about it: by its handle, or for the list that would show it."""
    tool, last = job.tool_for(move), job.operation.calls[-1]
    assert tool is not None
    handle = last.key or last.reference or job.operation.monitors.get(last.n)
    yield Invoke(tool, job.query_args() if move is Move.QUERY else {"reference": handle})
    return None


def worth_asking(job: Recovery) -> Move | None:
    """The surface that can still settle the most; None: none can."""
    return next((move for move in (Move.STATUS, Move.FENCE, Move.QUERY) if job.asks(move)), None)


def due_s(job: Recovery, move: Move) -> float:
    """How long to wait before the next question: a list is conclusive only when everything sent has settled."""
    settled_ns = job.settled_ns if move is Move.QUERY else None
    return max(job.pause_s(move), 0.0 if settled_ns is None else job.until_s(settled_ns))
