"""A correct agent that tenacity drives: each attempt is one step, and the wait before it depends on what is known."""

from typing import Any

from tenacity import RetryCallState, Retrying, retry_if_result

from faultlab.agents.correct.parts import asking, due_s, ending, refused, sending, spent, worth_asking
from faultlab.agents.desk import Desk
from faultlab.client.moves import read_and_decide
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Stop
from faultlab.core.clock import NS
from faultlab.core.records import Claim, Outcome


def may_send(job: Recovery) -> bool:
    """Unknown is not the same as failed: what may have happened is sent again only where that is safe."""
    return job.knowledge is not Outcome.UNKNOWN or bool(job.safe_sends)


def wait_s(job: Recovery) -> float:
    """Before the next attempt."""
    if job.knowledge is Outcome.APPLIED or refused(job) or spent(job) or job.undecided:
        return 0.0
    if may_send(job):
        wanted_s = max(job.back_off_s(), job.retry_after_ns / NS)
    else:
        surface = worth_asking(job)
        wanted_s = 0.0 if surface is None else due_s(job, surface)
    return job.within_budget_s(wanted_s)


def attempt(desk: Desk, job: Recovery) -> Stop | None:
    """One step; None: try again."""
    if job.knowledge is Outcome.APPLIED:
        return ending(job, "done")
    if (status := refused(job) or spent(job)) is not None:
        return ending(job, status)
    if job.undecided:
        return desk.do(job, read_and_decide(job))
    if may_send(job):
        return desk.do(job, sending(job))
    surface = worth_asking(job)
    if surface is None:
        return ending(job, "handed_over")
    return desk.do(job, asking(job, surface)) if due_s(job, surface) == 0 else None


def with_tenacity(task: Any, env: Any) -> Claim:
    """The retry library does the looping and the waiting, the contract decides."""
    desk = Desk(task, env)
    for job in desk.jobs():

        def before_next(state: RetryCallState, job: Recovery = job) -> float:
            return wait_s(job)

        retrying = Retrying(retry=retry_if_result(lambda ended: ended is None), wait=before_next, sleep=env.sleep)
        ended = retrying(attempt, desk, job)
        assert ended is not None
        desk.ended(job, ended)
    return desk.claim()
