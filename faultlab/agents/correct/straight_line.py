"""A correct agent as one would write it on a page: a loop, one decision after the other."""

from typing import Any

from faultlab.agents.correct.parts import asking, due_s, ending, refused, sending, spent, waiting, worth_asking
from faultlab.agents.desk import Desk
from faultlab.client.moves import read_and_decide
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Stop
from faultlab.core.clock import NS
from faultlab.core.records import Claim, Outcome


def settle(desk: Desk, job: Recovery) -> Stop:
    """Do it once, or find out what became of it."""
    while True:
        if job.knowledge is Outcome.APPLIED:
            return ending(job, "done")
        if (status := refused(job) or spent(job)) is not None:
            return ending(job, status)
        if job.undecided:
            ended = desk.do(job, read_and_decide(job))
        elif job.knowledge is not Outcome.UNKNOWN or job.safe_sends:
            ended = send(desk, job)
        elif (surface := worth_asking(job)) is not None:
            desk.do(job, waiting(job, due_s(job, surface)))
            ended = desk.do(job, asking(job, surface)) if job.left.affords() else None
        else:
            return ending(job, "handed_over")
        if ended is not None:
            return ended


def send(desk: Desk, job: Recovery) -> Stop | None:
    """The first time at once; then after a wait that grows, if what made it safe still holds by then."""
    safe = job.safe_sends
    if job.sends:
        desk.do(job, waiting(job, max(job.back_off_s(), job.retry_after_ns / NS)))
    return desk.do(job, sending(job)) if job.left.affords() and job.safe_sends == safe else None


def straight_line(task: Any, env: Any) -> Claim:
    """No table, no library: if and while."""
    desk = Desk(task, env)
    for job in desk.jobs():
        desk.ended(job, settle(desk, job))
    return desk.claim()
