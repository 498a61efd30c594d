"""What the clients of public reports did: each wrong way once, in a few lines, whatever was reported to do it.

More stand in `behaviours_pace.py` and `behaviours_read.py`.

A behaviour takes the work, and parameters where reports differ. What each should have done stands in `corrected.py`.
"""

import asyncio
import json
from contextlib import suppress
from typing import Any

import httpx
from cases.work import NOTHING, End, Step, Work

from faultlab.core.agent import ToolError
from faultlab.core.records import Claim

# Sent again.


def again(work: Work, step: Step, tries: int = 3, wait_s: float = 1.0, keyed: bool = False, **changed: Any) -> End:
    """The loop under most of them: until something comes back, then "failed". `keyed`: a new key each time."""
    for number in range(1, tries + 1):
        with suppress(ToolError):
            work.send(step, key=f"{step.handle}/{number}" if keyed else None, **(changed if number > 1 else {}))
            return End("done", work.last)
        work.env.sleep(wait_s)
    return NOTHING


def retry_unkeyed(work: Work, tries: int = 3, wait_s: float = 1.0) -> Claim:
    """Whatever went wrong, the same again."""
    return work.claim([again(work, step, tries, wait_s) for step in work.steps])


def fresh_key_per_attempt(work: Work) -> Claim:
    """The key is made where the request is made, so each attempt has its own."""
    return work.claim([again(work, step, keyed=True) for step in work.steps])


def batch_again(work: Work) -> Claim:
    """A batch that broke off is run from its beginning."""
    end = again(work, work.steps[0])
    return Claim(end.status, "Ran the batch.", (end.call,))


def falls_back(work: Work, **changed: Any) -> Claim:
    """A failure leads to another form of the same."""
    return work.claim([again(work, step, 2, **changed) for step in work.steps])


def resends_below(work: Work, times: int = 2) -> Claim:
    """A layer below the caller sends the request again, and tells it the last answer only."""
    step, client = work.steps[0], work.env.http
    request = client.build_request("POST", f"/tools/{step.tool}", json=step.args)
    status = 0
    for _ in range(times):
        with suppress(httpx.TransportError):
            status = client.send(request).status_code
            if status != 503:
                break
    return work.claim([End("done", work.last) if status == 200 else NOTHING])


def new_key_after_refusal(work: Work) -> Claim:
    """A resend that is refused must be the key's fault: another key."""
    step = work.steps[0]
    for key in ("k", "k", "k2"):
        with suppress(ToolError):
            work.send(step, key=f"{step.handle}/{key}")
            return work.claim([End("done", work.last)])
        work.env.sleep(1)
    return work.claim([NOTHING])


def stored_key_again(work: Work) -> Claim:
    """What the journal holds is sent once more, however old it is."""
    step = work.steps[0]
    work.send(step, key=work.env.store.get(f"sent/{step.label}", {"key": step.handle})["key"])
    return work.claim([End("done", work.last)])


def one_look_decides(work: Work) -> Claim:
    """One read right after the timeout shows nothing, so it is created again."""
    step = work.steps[0]
    try:
        work.send(step, reference=step.handle)
    except ToolError:
        if not work.found(step):
            work.send(step, reference=step.handle)
    return work.claim([End("done", work.last)])


def cut_at_fixed_time(limit_s: float = 3.0) -> Any:
    """A limit for the whole answer cuts off healthy ones, and the same is asked again under the same limit."""

    async def agent(task: Any, env: Any) -> Claim:
        work = Work(task, env)
        for _ in range(3):
            with suppress(TimeoutError, ToolError):
                async with asyncio.timeout(limit_s):
                    await env.atools[work.steps[0].tool](**work.steps[0].args)
                return work.claim([End("done", work.last)])
        return work.claim([NOTHING])

    return agent


# The whole turn again.


def turn_again(work: Work, model: str = "") -> Claim:
    """What is started again begins at the top. `model`: an order whose look-up fails, and with it the turn."""
    for _ in range(3):
        ends = [again(work, step, 1) for step in work.steps]
        try:
            if model:
                work.env.tools["get_order"](order_id=model)
        except ToolError:
            work.env.sleep(30)
        else:
            break
    return work.claim(ends)


def turn_again_each_round(work: Work) -> Claim:
    """The effect stands before the question, and each answer runs the turn from its top."""
    ends = [again(work, step) for step in work.steps]
    while work.env.ask_user("May I close it?") is not None:
        ends = [again(work, step) for step in work.steps]
    return work.claim(ends)


def each_delivery_is_new(work: Work, rounds: int = 3, hold_s: float = 20.0, keyed: bool = False) -> Claim:
    """What the queue gives out is handled, whether or not it was given out before."""
    held: list[str] = []
    for _ in range(rounds):
        held += work.env.tools["receive"](limit=3)["jobs"]
        work.env.sleep(hold_s)
    ends = {}
    for number, job_id in enumerate(held):
        step = next(item for item in work.steps if item.args["job_id"] == job_id)
        work.send(step, key=f"delivery-{number}" if keyed else None)
        ends[step.label] = End("done", work.last)
    return work.claim([ends[step.label] for step in work.steps])


# Keys.


def key_from_arguments(work: Work) -> Claim:
    """The key says who and when, not what: the corrected request bears the key of the refused one."""
    step = work.steps[0]
    for amount in work.task.inputs["amounts"]:
        with suppress(ToolError):
            work.send(step, key="C5/today", amount=amount)
            return work.claim([End("done", work.last)])
    return work.claim([NOTHING])


def one_key_for_all(work: Work) -> Claim:
    """One key for whatever is sent; what is refused has failed."""
    ends = []
    for step in work.steps:
        try:
            work.send(step, key="context-1")
            ends.append(End("done", work.last))
        except ToolError:
            ends.append(NOTHING)
    return work.claim(ends)


def caches_by_arguments(work: Work) -> Claim:
    """A result that is there for these arguments is given again instead of a call."""
    cache: dict[str, int] = {}
    for step in work.steps:
        name = json.dumps([step.tool, step.args])
        if name not in cache:
            work.send(step)
            cache[name] = work.last
    return work.claim([End("done", cache[json.dumps([step.tool, step.args])]) for step in work.steps])


# What is said at the end.


def never_retries(work: Work) -> Claim:
    """Any failure is the caller's to deal with, also under a key."""
    step = work.steps[0]
    try:
        work.send(step, key=step.handle)
    except ToolError:
        return work.claim([End("handed_over")])
    return work.claim([End("done", work.last)])


def failure_is_not_done(work: Work, tries: int = 1, keyed: bool = False) -> Claim:
    """An error at the end of the tries means that nothing was done."""
    step = work.steps[0]
    for number in range(tries):
        with suppress(ToolError):
            work.send(step, key=step.handle if keyed else None, reference=step.handle)
            return work.claim([End("done", work.last)])
        work.env.sleep(2.0 * (number + 1))
    return work.claim([NOTHING])


def answer_is_success(work: Work, tries: int = 1) -> Claim:
    """Whatever comes with a 2xx is done; nobody looks into it."""
    step, numbers = work.steps[0], []
    for _ in range(tries):
        with suppress(ToolError):
            work.send(step)
        numbers.append(work.last)
    return work.claim([End("done", numbers[-1])])


def any_end_is_success(work: Work, keyed: bool = False) -> Claim:
    """Polls until the operation has ended, and takes the end for success. `keyed`: asks by sending again."""
    step = work.steps[0]
    with suppress(ToolError):
        work.send(step, key=step.handle, reference=step.handle)
    while work.env.tools["operation_status"](reference=step.handle)["state"] == "not_ready":
        work.env.sleep(5)
    if keyed:
        with suppress(ToolError):
            work.send(step, key=step.handle, reference=step.handle)
    return work.claim([End("done", work.last)])


def stops_polling_early(work: Work, looks: int = 8, wait_s: float = 1.0) -> Claim:
    """So many looks without a result are a failure, whatever time was promised."""
    step = work.steps[0]
    with suppress(ToolError):
        work.send(step, reference=step.handle)
    for _ in range(looks):
        if work.found(step):
            return work.claim([End("done", work.last)])
        work.env.sleep(wait_s)
    return work.claim([NOTHING])


def queries_failed_is_rejected(work: Work) -> Claim:
    """When nobody answers the queries the order is booked as rejected."""
    step = work.steps[0]
    with suppress(ToolError):
        work.send(step, reference=step.handle)
        return work.claim([End("done", work.last)])
    for number in range(3):
        with suppress(ToolError):
            if work.env.tools["operation_status"](reference=step.handle)["state"] == "applied":
                return work.claim([End("done", work.last)])
        work.env.sleep(2.0 * 2**number)
    return work.claim([NOTHING])
