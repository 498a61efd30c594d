"""A correct agent in the manner of ReAct: thought, action, observation, round and round over the tool specifications.

In place of a model a few lines choose among the actions that the specification's contract permits now.
"""

from typing import Any

from faultlab.agents.correct.parts import asking, due_s, ending, sending, waiting
from faultlab.agents.desk import Desk
from faultlab.client.moves import read_and_decide
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Steps, Stop
from faultlab.core.clock import NS
from faultlab.core.entitled import Entitlement, Move, entitled
from faultlab.core.records import Claim, Status

QUESTIONS = (Move.QUERY, Move.STATUS, Move.FENCE)
LOOKS_ENOUGH = 2
"""After so many answers that settle nothing a harmless resend is the better question."""
ENDS: tuple[Status, ...] = ("done", "refused", "not_done", "handed_over")


def actions(job: Recovery) -> Entitlement:
    """What may be done next, what is worth it, and what may be claimed."""
    offered = frozenset(move for move in QUESTIONS if job.tool_for(move) is not None)
    return entitled(job.operation, job.contract, job.left, offered)


def think(job: Recovery) -> tuple[str, Move | Status | None]:
    """A thought and the action that follows from it; None: look at the thing again and decide anew."""
    options = actions(job)
    if job.undecided and job.left.affords():
        return "What I am to write depends on what is there now.", None
    if not options.productive and not (job.decided_anew and job.left.affords()):
        claim = next(item for item in ENDS if item in options.stops)
        return f"There is nothing more to do: {claim}.", claim
    if job.sends and len(job.operation.asked_since) < LOOKS_ENOUGH:
        for move in QUESTIONS:
            if move in options.productive:
                return f"I do not know whether it happened. A {move} may tell.", move
    for move in (Move.SEND_SAME_KEY, Move.REPEAT, Move.SEND_UNKEYED, *QUESTIONS):
        if move in options.productive:
            return f"The best that I can do is to {move}.", move
    return "The version that I name is the one that is there.", Move.SEND_SAME_KEY


def act(job: Recovery, move: Move | None) -> Steps:
    if move is None:
        return (yield from read_and_decide(job))
    if move in QUESTIONS:
        sure = not actions(job).productive - set(QUESTIONS)
        yield from waiting(job, due_s(job, move) if sure else job.pause_s(move))
        return (yield from asking(job, move)) if job.left.affords() else None
    safe = job.safe_sends
    if job.sends:
        yield from waiting(job, max(job.back_off_s(), job.retry_after_ns / NS))
    return (yield from sending(job)) if job.left.affords() and job.safe_sends == safe else None


def observe(job: Recovery) -> str:
    receipt = job.operation.last_receipt
    said = "nothing yet" if receipt is None else receipt.error or f"status {receipt.status}"
    return f"Observation: {said}; the outcome is {job.knowledge or 'not sent'}."


def loop(desk: Desk, job: Recovery) -> Stop:
    transcript: list[str] = []
    while True:
        thought, action = think(job)
        transcript.append(f"Thought: {thought}")
        if isinstance(action, str) and not isinstance(action, Move):
            return ending(job, action)
        if (ended := desk.do(job, act(job, action))) is not None:
            return ended
        transcript.append(observe(job))
        desk.env.notes[f"transcript of {job.operation.label}"] = "\n".join(transcript)


def thinks_aloud(task: Any, env: Any) -> Claim:
    """Keeps its transcript where a model keeps its context."""
    desk = Desk(task, env)
    for job in desk.jobs():
        desk.ended(job, loop(desk, job))
    return desk.claim()
