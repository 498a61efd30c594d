"""What the clients of the reports should have done. Each is right in every twin, whichever is true."""

from collections.abc import Callable
from typing import Any

from cases.behaviours_read import page_of, write
from cases.work import NOTHING, OPEN, End, Step, Work, passing, unknown

from faultlab.core.agent import ToolError
from faultlab.core.records import Claim

Settle = Callable[[Work, Step], End]
POLL_S = 6.0
"""A little more than the contract's poll_s."""


def found_or(work: Work, step: Step, otherwise: End) -> End:
    return End("done", work.last) if work.found(step) else otherwise


def two_looks(work: Work, step: Step) -> End:
    """Found under the own reference, or for a person to decide: absence proves nothing."""
    if work.found(step):
        return End("done", work.last)
    work.env.sleep(POLL_S)
    return found_or(work, step, OPEN)


def under_one_key(work: Work, step: Step) -> End:
    """The key of the intent over all tries; without one nothing is sent a second time while it is unknown."""
    for number in range(5):
        try:
            work.send(step, key=step.handle, reference=step.handle)
            return End("done", work.last)
        except ToolError as error:
            if not unknown(error) and not passing(error):
                return two_looks(work, step) if number else NOTHING
            work.rest(error, 2.0**number)
    return two_looks(work, step)


def look_then_hand_over(work: Work, step: Step) -> End:
    """Sent again only if it never left; else looked for."""
    for number in range(4):
        try:
            work.send(step, reference=step.handle)
            return End("done", work.last)
        except ToolError as error:
            if unknown(error):
                return two_looks(work, step)
            if not passing(error):
                return End("refused") if error.receipt.status == 403 else NOTHING
            work.rest(error, 2.0**number)
    return NOTHING


def ask_status(work: Work, step: Step) -> End:
    """The status query settles it; a wait between two questions."""
    for generation in range(3):
        handle = f"{step.handle}+{generation}"
        try:
            work.send(step, reference=handle)
            return End("done", work.last)
        except ToolError:
            state = asked(work, "operation_status", handle)
        if state != "not_found":
            return {"applied": End("done", work.last), "failed": NOTHING}.get(state, OPEN)
    return OPEN


def cancel_first(work: Work, step: Step) -> End:
    """The call that timed out is cancelled before anything else is done."""
    for generation in range(3):
        handle = f"{step.handle}+{generation}"
        try:
            work.send(step, reference=handle)
            return End("done", work.last)
        except ToolError:
            state = asked(work, "cancel_operation", handle)
        if state == "applied":
            return End("done", work.last)
    return OPEN


def asked(work: Work, tool: str, handle: str) -> str:
    """The last word of a status query or fence; `unanswered` after three failures."""
    failures = 0
    while failures < 3:
        try:
            state = str(work.env.tools[tool](reference=handle)["state"])
            if state != "not_ready":
                return state
            work.env.sleep(POLL_S)
        except ToolError as error:
            failures += 1
            work.rest(error, 2.0 * 2**failures)
    return "unanswered"


def after_settling(work: Work, step: Step) -> End:
    """Nothing takes effect later than the contract states: a look after that is a proof."""
    settle_s = work.task.tools[step.tool]["contract"]["settle_s"]
    for generation in range(3):
        handle, sent_s = f"{step.handle}+{generation}", work.env.now()
        try:
            work.send(step, reference=handle)
            return End("done", work.last)
        except ToolError:
            work.env.sleep(sent_s + settle_s + 1 - work.env.now())
        if work.found(step, handle):
            return End("done", work.last)
    return OPEN


def each(settle: Settle) -> Callable[[Work], Claim]:
    """Every step in this way."""
    return lambda work: work.claim([settle(work, step) for step in work.steps])


def looks_before_sending(work: Work) -> Claim:
    """What may have been sent before is looked for first, and never sent anew on an absence."""
    return work.claim([two_looks(work, step) if work.env.resumed else OPEN for step in work.steps])


def keeps_a_record(work: Work) -> Claim:
    """Each step is noted before and after; a process that is started again goes on where the record ends."""
    ends = []
    for step in work.steps:
        noted = work.env.store.get(step.label)
        if noted is None and not work.env.resumed:
            work.env.store[step.label] = 0
            end = look_then_hand_over(work, step)
        else:  # the record says that it was begun, or the record is gone
            end = End("done", noted) if noted else two_looks(work, step)
        if end.status == "done":
            work.env.store[step.label] = end.call
        ends.append(end)
    return work.claim(ends)


def once_and_then_asks(work: Work) -> Claim:
    """The effect comes after all questions."""
    while work.env.ask_user("May I close it?") is not None:
        pass
    return each(look_then_hand_over)(work)


def permanent_errors_stay(work: Work, model: str) -> Claim:
    """A failed look-up ends the turn; what was done before it stays done."""
    ends = [look_then_hand_over(work, step) for step in work.steps]
    try:
        work.env.tools["get_order"](order_id=model)
    except ToolError:
        return work.claim(ends, "Done; what comes after it cannot be looked up.")
    return work.claim(ends)


def once_per_job(work: Work, rounds: int = 3, hold_s: float = 20.0) -> Claim:
    """A job that was handled is not handled again, whoever gives it out."""
    ends: dict[str, End] = {}
    held: list[str] = []
    for _ in range(rounds):
        held += work.env.tools["receive"](limit=3)["jobs"]
        work.env.sleep(hold_s)
    for step in work.steps:
        if step.args["job_id"] in held:
            ends[step.label] = under_one_key(work, step)
    return work.claim([ends.get(step.label, NOTHING) for step in work.steps])


def new_key_for_new_request(work: Work) -> Claim:
    """A definitive refusal ends the first intent; what is corrected is another one."""
    step = work.steps[0]
    for number, amount in enumerate(work.task.inputs["amounts"]):
        try:
            work.send(step, key=f"{step.handle}/{number}", amount=amount)
            return work.claim([End("done", work.last)])
        except ToolError as error:
            assert not unknown(error)
    return work.claim([NOTHING])


def reads_what_became_of_it(work: Work) -> Claim:
    """A promise is followed until the effect can be seen, or time is up."""
    step = work.steps[0]
    try:
        work.send(step, reference=step.handle)
    except ToolError as error:
        assert unknown(error)
    until_s = work.env.budget.seconds - 30
    while work.env.now() < until_s:
        if work.found(step):
            return work.claim([End("done", work.last)])
        work.env.sleep(30)
    return work.claim([OPEN])


def follows_to_its_end(work: Work) -> Claim:
    """The status query says what the end is."""
    step = work.steps[0]
    try:
        work.send(step, key=step.handle, reference=step.handle)
        return work.claim([End("done", work.last)])
    except ToolError:
        state = asked(work, "operation_status", step.handle)
    return work.claim([{"applied": End("done", work.last), "failed": NOTHING}.get(state, OPEN)])


def reads_the_body(work: Work) -> Claim:
    """`ok: false` is a failure, and a failure is not repeated unchanged."""
    body = work.send(work.steps[0])
    return work.claim([End("done", work.last) if body["ok"] else NOTHING])


# Pace.


def waits_as_told(work: Work) -> Claim:
    """At least as long as the answer asks for, longer each time, and never past the budget."""
    error = None
    for wait_s in (1.0, 2.0, 4.0, 8.0, 16.0):
        try:
            if not work.steps:
                return Claim.done(str(work.env.tools["get_order"](order_id="A17")["status"]))
            work.send(work.steps[0])
            return work.claim([End("done", work.last)])
        except ToolError as failure:
            error = failure
        stated = error.receipt.headers.get("retry-after", "")
        if work.env.now() + max(wait_s, float(stated) if stated.isdigit() else 0.0) >= work.env.budget.seconds:
            break
        work.rest(error, wait_s)
    return work.claim([NOTHING] if work.steps else [], f"Not now: {error}")


# Versions.


def writes_by_version(work: Work) -> Claim:
    """The version goes with every write. After a conflict: whose is it? Then read, and decide again."""
    step = work.steps[0]
    page = page_of(work)
    for wait_s in (2.0, 4.0, 8.0, 16.0):
        try:
            write(work, page, page["etag"])
            return work.claim([End("done", work.last)])
        except ToolError as error:
            if unknown(error):
                work.env.sleep(wait_s)
                continue
        if work.found(step):
            return work.claim([End("done", work.last)])
        page = page_of(work)
    return work.claim([OPEN])


def runs_what_it_claimed(work: Work) -> Claim:
    """A claim that was refused is somebody else's job."""
    step = work.steps[0]
    seen: dict[str, Any] = work.env.tools["get_job"](job_id=step.args["job_id"])
    try:
        work.send(step, if_match=seen["etag"])
        return work.claim([End("done", work.last)])
    except ToolError as error:
        assert not unknown(error)
    owner = work.env.tools["get_job"](job_id=step.args["job_id"])["worker"]
    return work.claim([NOTHING], f"{owner} has it.")


def first_page_until_empty(work: Work) -> Claim:
    """Whatever is still waiting is on the first page."""
    numbers = {}
    while jobs := work.env.tools["list_jobs"](offset=0)["jobs"]:
        for job_id in jobs:
            work.send(next(step for step in work.steps if step.args["job_id"] == job_id))
            numbers[job_id] = work.last
    return work.claim([End("done", numbers[step.args["job_id"]]) for step in work.steps])


def whole_answers_only(work: Work) -> Claim:
    """What does not parse as it came is asked for again."""
    for wait_s in (1.0, 2.0, 4.0):
        try:
            content = work.env.http.get("/v1/files/plan").json()["content"]
        except ValueError:
            work.env.sleep(wait_s)
            continue
        work.send(work.steps[0], content=content)
        return work.claim([End("done", work.last)])
    return work.claim([NOTHING])


one_key = each(under_one_key)
looks = each(look_then_hand_over)
asks_status = each(ask_status)
cancels = each(cancel_first)
settles = each(after_settling)
