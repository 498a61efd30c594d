"""What the correct agents share: the work that a task asks for, and the claim at its end. No recovery."""

from collections.abc import AsyncIterator, Iterator
from itertools import chain
from typing import Any

from faultlab.agents.clerk import Clerk
from faultlab.client.approvals import look_at
from faultlab.client.execute import adrive, drive
from faultlab.client.moves import stop
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Invoke, Sleep, Steps, Stop
from faultlab.core.entitled import Move
from faultlab.core.records import Claim, Outcome, Status

GO_ON = Stop("unknown")
"""Stands for "no end yet" where a driver must be given one."""


def nothing() -> Steps:
    """No step at all."""
    return None
    yield


def _or_go_on(steps: Steps) -> Steps:
    return (yield from steps) or GO_ON


class Desk:
    """The task as jobs: each with the call that is meant, the contract, and what is known of it so far."""

    def __init__(self, task: Any, env: Any) -> None:
        self.env = env
        self.clerk = Clerk(task, env)

    def jobs(self) -> Iterator[Recovery]:
        """One after the other, each when all that it rests on has been read."""
        for job in chain(self.clerk.recoveries(), self.clerk.reopened()):
            if (ended := self.do(job, self.clerk.prepared(job, nothing()))) is None:
                yield job
            else:
                self.ended(job, ended)

    async def ajobs(self) -> AsyncIterator[Recovery]:
        """The same over asynchronous tools."""
        async for job in self.clerk.arecoveries():
            if (ended := await self.ado(job, self.clerk.prepared(job, nothing()))) is None:
                yield job
            else:
                self.ended(job, ended)

    def do(self, job: Recovery, steps: Steps) -> Stop | None:
        """Make some calls and waits; each answer is taken into what is known. None: the job has not ended."""
        ended = drive(job, _or_go_on(steps))
        return None if ended is GO_ON else ended

    async def ado(self, job: Recovery, steps: Steps) -> Stop | None:
        """The same over asynchronous tools."""
        ended = await adrive(job, _or_go_on(steps))
        return None if ended is GO_ON else ended

    def ended(self, job: Recovery, ended: Stop) -> None:
        self.clerk.ended(job, ended)

    def claim(self) -> Claim:
        return self.clerk.claim()


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
