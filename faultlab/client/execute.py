"""Carries a recovery out: one generator of steps, and a driver of a few lines for each kind of caller."""

from collections.abc import Mapping
from typing import Any, Literal

from faultlab.client.policy import TABLE, Policy, choose
from faultlab.client.recovery import SURFACES, Recovery
from faultlab.client.steps import Invoke, Sleep, Steps, Stop
from faultlab.client.terms import status_of, terms_of
from faultlab.core.agent import Answer, ToolError
from faultlab.core.answers import handle_reveal, is_fresh
from faultlab.core.canonical import identity_of
from faultlab.core.contract import CONDITION_FIELD, KEY_FIELD, REFERENCE_FIELD
from faultlab.core.knowledge import about
from faultlab.core.operation import PLAIN, Operation
from faultlab.core.outcome import outcome_of_response
from faultlab.core.records import Call, Receipt, Reveal, Sight
from faultlab.core.versions import version_of


def recover(recovery: Recovery, table: Policy = TABLE) -> Steps:
    """Follow the table to its end. Every call goes through here and is taken into what is known."""
    while True:
        row = choose(table, recovery)
        move, value = row.move(recovery), None
        while True:
            try:
                step = move.send(value)
            except StopIteration as end:
                if end.value is not None:
                    ended: Stop = end.value
                    return ended
                break
            value = yield step


def drive(recovery: Recovery, steps: Steps) -> Stop:
    """For synchronous callers: `env.tools` and `env.sleep`."""
    value: Receipt | None = None
    while True:
        try:
            step = steps.send(value)
        except StopIteration as end:
            return _ended(end)
        if isinstance(step, Sleep):
            recovery.env.sleep(step.wait_s)
            value = None
            continue
        call = begin(recovery, step)
        try:
            value = finish(recovery, call, recovery.env.tools[step.tool](**arguments(step)))
        except ToolError as error:
            value = fail(recovery, call, error)


async def adrive(recovery: Recovery, steps: Steps) -> Stop:
    """For asynchronous callers: `env.atools` and `env.asleep`."""
    value: Receipt | None = None
    while True:
        try:
            step = steps.send(value)
        except StopIteration as end:
            return _ended(end)
        if isinstance(step, Sleep):
            await recovery.env.asleep(step.wait_s)
            value = None
            continue
        call = begin(recovery, step)
        try:
            value = finish(recovery, call, await recovery.env.atools[step.tool](**arguments(step)))
        except ToolError as error:
            value = fail(recovery, call, error)


def _ended(end: StopIteration) -> Stop:
    stop = end.value
    assert isinstance(stop, Stop), "a recovery ends with a Stop"
    return stop


def arguments(step: Invoke) -> dict[str, Any]:
    """The keyword arguments of a call."""
    extra = {KEY_FIELD: step.key, REFERENCE_FIELD: step.reference, CONDITION_FIELD: step.if_match}
    return {**step.args, **{name: value for name, value in extra.items() if value is not None}}


def begin(recovery: Recovery, step: Invoke) -> Call:
    """Note a call before it leaves."""
    spec = recovery.specs[step.tool]
    identity = identity_of(spec["identity"], step.args) if spec["kind"] == "write" else ""
    number = recovery.log.count + 1
    place = step.args.get(recovery.operation.terms.scope or "")
    handles = (step.key, step.reference, step.if_match, place)
    call = Call(number, recovery.now_ns, step.tool, spec["kind"], step.args, identity, *handles)
    recovery.log.calls.append(call)
    if step.tool == recovery.intent.tool and identity == recovery.operation.identity:
        recovery.write_down(call)
        recovery.operation.sent(call)
    return call


def finish(recovery: Recovery, call: Call, body: Any) -> Receipt:
    """Take in the decoded body of a complete 2xx."""
    spec = recovery.specs[call.tool]
    terms = terms_of(spec) if call.kind == "write" else PLAIN
    status = status_of(terms)
    outcome = outcome_of_response(
        status,
        body,
        fits=isinstance(body, Mapping),
        provisional=terms.provisional,
        ok_declared=bool(spec.get("ok_declared", False)),
    )
    headers = body.headers if isinstance(body, Answer) else {}
    return _take(recovery, call, Receipt(call.n, recovery.now_ns, outcome, status, body, headers), body)


def fail(recovery: Recovery, call: Call, error: ToolError) -> Receipt:
    """Take in a receipt that is no result."""
    return _take(recovery, call, error.receipt, None)


def _take(recovery: Recovery, call: Call, receipt: Receipt, body: Any) -> Receipt:
    """To the operation whose call it answers; or, for a query, to every operation that was sent and asked about."""
    if call.kind == "write":
        if any(item.n == call.n for item in recovery.operation.calls):
            recovery.operation.received(receipt, recovery.contract)
        return receipt
    headers = receipt.headers
    for other in recovery.log.recoveries if body is not None else ():
        if (seen := sight_of(other.operation, call, body, headers)) is not None and seen.fresh:
            receipt = receipt._replace(sights=(seen,))
            other.operation.looked(call)
    if call.tool in (recovery.tool_for(move) for move in SURFACES):
        told = reveal_of(recovery, call, body, headers)
        for other in recovery.log.recoveries:
            if other.operation.calls and about(told, other.operation):
                other.operation.read(call, None if body is None else told, other.contract, receipt)
    return receipt


def sight_of(operation: Operation, call: Call, body: Mapping[str, Any], headers: Mapping[str, str]) -> Sight | None:
    """The version of the thing that the operation writes, where the answer shows it."""
    tag, versioned = body.get("etag"), operation.terms.versioned
    if versioned is None or operation.thing != f"{versioned[0]}/{call.args.get(versioned[1])}":
        return None
    return Sight(operation.thing, version_of(tag), is_fresh(body, headers)) if isinstance(tag, str) else None


def reveal_of(recovery: Recovery, call: Call, body: Mapping[str, Any] | None, headers: Mapping[str, str]) -> Reveal:
    """What an answer tells: a status by handle, or rows with their references. None: only what was asked."""
    if call.kind != "read":
        return handle_reveal(call.kind, recovery.contract, str(call.args["reference"]), body)
    answer = body or {}
    shown = tuple(row.get("reference") for row in rows_of(answer, call.args))
    operation = recovery.operation
    said: Literal["present", "absent"] = "present" if shown else "absent"
    return Reveal(operation.tool, operation.identity, None, shown, said, fresh=is_fresh(answer, headers))


def rows_of(answer: Mapping[str, Any], asked: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The rows of a list; of an answer about one thing that thing, if it says more than what was asked for."""
    for value in answer.values():
        if isinstance(value, list):
            return [row for row in value if isinstance(row, Mapping)]
    there = any(value is not None for name, value in answer.items() if name not in asked)
    return [answer] if there else []
