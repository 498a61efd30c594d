"""What agents share that do the work one job after another: the jobs that a task asks for, and the claim at its end."""

from collections.abc import AsyncIterator, Callable, Iterator
from itertools import chain
from typing import Any

from faultlab.agents.clerk import Clerk
from faultlab.client.execute import adrive, drive
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Steps, Stop
from faultlab.core.records import Claim

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

    def __init__(self, task: Any, env: Any, clerk: Callable[[Any, Any], Clerk] = Clerk) -> None:
        self.task = task
        self.env = env
        self.clerk = clerk(task, env)

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
