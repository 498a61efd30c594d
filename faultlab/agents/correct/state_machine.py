"""A correct agent as a state machine: each state is a function that makes one step and names the state after it."""

from collections.abc import Callable, Mapping
from typing import Any, Literal

from faultlab.agents.correct.parts import asking, due_s, ending, refused, sending, spent, waiting, worth_asking
from faultlab.agents.desk import Desk
from faultlab.client.moves import read_and_decide
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Stop
from faultlab.core.clock import NS
from faultlab.core.records import Claim, Outcome

State = Literal["new", "undecided", "refused", "open", "protected", "stuck"]
"""new: nothing was sent. undecided: what to write is to be decided on what is there now. refused: it did not happen,
and may be sent again. open: it may have happened. protected: it may have, and the same request again is harmless.
stuck: it may have, and nothing more can be learnt."""


def state_of(job: Recovery) -> State:
    """By what is known, and what the contract makes of it."""
    if job.undecided:
        return "undecided"
    if job.knowledge is Outcome.UNKNOWN:
        return "protected" if job.safe_sends else "stuck" if worth_asking(job) is None else "open"
    return "refused" if job.sends else "new"


def send(desk: Desk, job: Recovery) -> Stop | None:
    return desk.do(job, sending(job))


def wait_and_send(desk: Desk, job: Recovery) -> Stop | None:
    before = state_of(job)
    desk.do(job, waiting(job, max(job.back_off_s(), job.retry_after_ns / NS)))
    return send(desk, job) if job.left.affords() and state_of(job) == before else None


def decide(desk: Desk, job: Recovery) -> Stop | None:
    return desk.do(job, read_and_decide(job))


def ask(desk: Desk, job: Recovery) -> Stop | None:
    surface = worth_asking(job)
    assert surface is not None
    desk.do(job, waiting(job, due_s(job, surface)))
    return desk.do(job, asking(job, surface)) if job.left.affords() else None


def hand_over(desk: Desk, job: Recovery) -> Stop:
    return ending(job, "handed_over")


STATES: Mapping[State, Callable[[Desk, Recovery], Stop | None]] = {
    "new": send,
    "undecided": decide,
    "refused": wait_and_send,
    "open": ask,
    "protected": wait_and_send,
    "stuck": hand_over,
}


def run(desk: Desk, job: Recovery) -> Stop:
    """From state to state until one is an end."""
    while job.knowledge is not Outcome.APPLIED:
        if (status := refused(job) or spent(job)) is not None:
            return ending(job, status)
        if (ended := STATES[state_of(job)](desk, job)) is not None:
            return ended
    return ending(job, "done")


def state_machine(task: Any, env: Any) -> Claim:
    """The states stand in a table, and so does what is done in each."""
    desk = Desk(task, env)
    for job in desk.jobs():
        desk.ended(job, run(desk, job))
    return desk.claim()
