"""What the clients of the reports should have done. Each is right in every twin, whichever is true.

What they should have done with what they had read stands in `corrected_read.py`.
"""

from collections.abc import Callable
from contextlib import suppress

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
    """Keeps the key of the intent over all tries, and looks before it gives up.

    Where the tool takes no key nothing is sent a second time while it is unknown.
    """
    for number in range(5):
        try:
            work.send(step, key=step.handle, reference=step.handle)
            return End("done", work.last)
        except ToolError as error:
            if unknown(error) and not work.keyed(step):
                break
            if not unknown(error) and not passing(error):
                if not number:
                    return NOTHING
                if work.found(step):
                    return End("done", work.last)
            work.rest(error, 2.0**number)
    return two_looks(work, step)


def look_then_hand_over(work: Work, step: Step) -> End:
    """Sends again only if the request never left; else looks for its effect, and hands over what is not found."""
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

    def run(work: Work) -> Claim:
        return work.claim([settle(work, step) for step in work.steps])

    run.__doc__ = settle.__doc__
    return run


def one_call_each(work: Work) -> Claim:
    """Makes a call for each wanted effect, equal or not."""
    return each(look_then_hand_over)(work)


def looks_before_sending(work: Work) -> Claim:
    """What may have been sent before is looked for first, and never sent anew on an absence."""
    return each(two_looks if work.env.resumed else under_one_key)(work)


def asks_about_the_first(work: Work) -> Claim:
    """What was begun before is asked about by its own handle, and waited for while it runs."""
    step = work.steps[0]
    if not work.env.resumed:
        return work.claim([ask_status(work, step)])
    state = asked(work, "operation_status", step.handle)
    if state == "not_found":
        return work.claim([ask_status(work, step)])
    return work.claim([End("done", work.last) if state == "applied" else OPEN])


def asks_then_looks(work: Work) -> Claim:
    """Where the status query gives no answer the list may; without either a person must decide."""
    step = work.steps[0]
    try:
        work.send(step, reference=step.handle)
        return work.claim([End("done", work.last)])
    except ToolError:
        state = asked(work, "operation_status", step.handle)
    return work.claim([End("done", work.last) if state == "applied" else two_looks(work, step)])


def batch_once(work: Work) -> Claim:
    """Each item of a batch whose answer is lost is looked for by itself."""
    step = work.steps[0]
    try:
        work.send(step, reference=step.handle)
        return Claim.done("Ran.", [work.last])
    except ToolError:
        ends: dict[str, End] = {}
    for item in step.args["jobs"]:
        name, look = item["job_id"], {"tool": "list_runs", "args": item, "rows": "references", "by": ""}
        ends[f"{step.tool}({name})"] = two_looks(work, step._replace(find=look))
    return work.ended(ends, "The batch broke off.")


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
            if unknown(error):
                return work.claim([two_looks(work, step)])
    return work.claim([NOTHING])


def reads_what_became_of_it(work: Work) -> Claim:
    """A promise is followed until the effect can be seen, or time is up."""
    step = work.steps[0]
    with suppress(ToolError):
        work.send(step, reference=step.handle)
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


one_key = each(under_one_key)
looks = each(look_then_hand_over)
asks_status = each(ask_status)
cancels = each(cancel_first)
settles = each(after_settling)
