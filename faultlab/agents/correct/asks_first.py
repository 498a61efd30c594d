"""A correct asynchronous agent that asks before it resends, also where a key would make the resend safe."""

from typing import Any

from faultlab.agents.correct.parts import asking, due_s, ending, refused, sending, spent, waiting, worth_asking
from faultlab.agents.desk import Desk
from faultlab.client.moves import read_and_decide
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Steps
from faultlab.core.clock import NS
from faultlab.core.entitled import Move
from faultlab.core.records import Claim, Outcome


def query_then_act(job: Recovery) -> Steps:
    """Costs a read more than it must, and is never wrong for it."""
    while job.knowledge is not Outcome.APPLIED:
        if (status := refused(job) or spent(job)) is not None:
            return ending(job, status)
        unknown = job.knowledge is Outcome.UNKNOWN
        surface = worth_asking(job) if unknown else None
        if job.undecided:
            steps = read_and_decide(job)
        elif surface is not None and not (job.safe_sends and job.operation.asked_since):
            steps = ask(job, surface)
        elif not unknown or job.safe_sends:
            steps = send(job)
        else:
            return ending(job, "handed_over")
        if (ended := (yield from steps)) is not None:
            return ended
    return ending(job, "done")


def ask(job: Recovery, surface: Move) -> Steps:
    yield from waiting(job, job.pause_s(surface) if job.safe_sends else due_s(job, surface))
    return (yield from asking(job, surface)) if job.left.affords() else None


def send(job: Recovery) -> Steps:
    safe = job.safe_sends
    if job.sends:
        yield from waiting(job, max(job.back_off_s(), job.retry_after_ns / NS))
    return (yield from sending(job)) if job.left.affords() and job.safe_sends == safe else None


async def asks_first(task: Any, env: Any) -> Claim:
    """Asynchronous tools; one generator of steps an operation."""
    desk = Desk(task, env)
    async for job in desk.ajobs():
        ended = await desk.ado(job, query_then_act(job))
        assert ended is not None
        desk.ended(job, ended)
    return desk.claim()
