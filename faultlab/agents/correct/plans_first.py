"""A correct agent that plans everything first: it reads all, sends all once, and then goes round what is open."""

from typing import Any

from faultlab.agents.desk import Desk
from faultlab.client.policy import TABLE, choose
from faultlab.client.recovery import Recovery
from faultlab.core.records import Claim


def step(desk: Desk, job: Recovery) -> bool:
    """One move of the policy; whether the job has ended with it."""
    ended = desk.do(job, choose(TABLE, job).move(job))
    if ended is not None:
        desk.ended(job, ended)
    return ended is not None


def plans_first(task: Any, env: Any) -> Claim:
    """One move for each job in turn, so that the wait for one is used for the others."""
    desk = Desk(task, env)
    plan = list(desk.jobs())
    env.store["plan"] = [job.operation.label for job in plan]
    while plan:
        plan = [job for job in plan if not step(desk, job)]
    for job in desk.clerk.reopened():
        while not step(desk, job):
            pass
    return desk.claim()
