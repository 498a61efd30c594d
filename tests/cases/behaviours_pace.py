"""More of the same: when clients of public reports tried again, and when they stopped."""

from contextlib import suppress

from cases.work import NOTHING, End, Work

from faultlab.core.agent import ToolError
from faultlab.core.records import Claim


def without_end(work: Work, wait_s: float = 1.0, keyed: bool = False, tweaks: str = "") -> Claim:
    """The same until it works. `tweaks`: an argument that is worded anew each time."""
    step, number = work.steps[0], 0
    while True:
        number += 1
        changed = {tweaks: f"{step.args[tweaks]} ({number})"} if tweaks else {}
        with suppress(ToolError):
            work.send(step, key=step.handle if keyed else None, reference=step.handle, **changed)
            return work.claim([End("done", work.last)])
        work.env.sleep(wait_s)


def at_its_own_pace(work: Work, waits_s: tuple[float, ...] = (0.5, 1.0, 2.0)) -> Claim:
    """Back-off of its own, whatever the answer asks for. Without steps: a look at the order."""
    for wait_s in (*waits_s, 0.0):
        with suppress(ToolError):
            if not work.steps:
                return Claim.done(str(work.env.tools["get_order"](order_id="A17")["status"]))
            work.send(work.steps[0])
            return work.claim([End("done", work.last)])
        work.env.sleep(wait_s)
    return work.claim([NOTHING] if work.steps else [])


def as_long_as_told(work: Work) -> Claim:
    """Every Retry-After is obeyed, however long."""
    while True:
        try:
            return Claim.done(str(work.env.tools["get_order"](order_id="A17")["status"]))
        except ToolError as error:
            work.rest(error, 1)


def limit_checked_too_soon(work: Work) -> Claim:
    """The time limit is looked at before the next wait, which then runs past it."""
    step, wait_s, limit_s = work.steps[0], 1.0, work.env.budget.seconds
    while work.env.now() < limit_s:
        with suppress(ToolError):
            work.send(step)
            return work.claim([End("done", work.last)])
        work.env.sleep(wait_s)
        wait_s *= 2
    return work.claim([NOTHING])
