"""Carries a recovery out: one generator of steps, and a driver of a few lines for each kind of caller."""

from collections.abc import Mapping
from typing import Any, Literal

from faultlab.client.policy import TABLE, Policy, choose
from faultlab.client.recovery import SURFACES, Recovery
from faultlab.client.steps import Invoke, Sleep, Steps, Stop
from faultlab.core.agent import ToolError
from faultlab.core.answers import handle_reveal
from faultlab.core.canonical import identity_of
from faultlab.core.contract import KEY_FIELD, REFERENCE_FIELD
from faultlab.core.knowledge import about
from faultlab.core.outcome import outcome_of_response
from faultlab.core.records import Call, Receipt, Reveal


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
    extra = {KEY_FIELD: step.key, REFERENCE_FIELD: step.reference}
    return {**step.args, **{name: value for name, value in extra.items() if value is not None}}


def begin(recovery: Recovery, step: Invoke) -> Call:
    """Note a call before it leaves."""
    spec = recovery.specs[step.tool]
    identity = identity_of(spec["identity"], step.args) if spec["kind"] == "write" else ""
    number = len(recovery.log.calls) + 1
    call = Call(number, recovery.now_ns, step.tool, spec["kind"], step.args, identity, step.key, step.reference)
    recovery.log.calls.append(call)
    if step.tool == recovery.intent.tool and identity == recovery.operation.identity:
        recovery.operation.sent(call)
    return call


def finish(recovery: Recovery, call: Call, body: Any) -> Receipt:
    """Take in the decoded body of a complete 2xx."""
    provisional = bool(recovery.specs[call.tool].get("provisional", False))
    outcome = outcome_of_response(200, body, fits=isinstance(body, Mapping), provisional=provisional)
    return _take(recovery, call, Receipt(call.n, recovery.now_ns, outcome, 200, body), body)


def fail(recovery: Recovery, call: Call, error: ToolError) -> Receipt:
    """Take in a receipt that is no result."""
    return _take(recovery, call, error.receipt, None)


def _take(recovery: Recovery, call: Call, receipt: Receipt, body: Any) -> Receipt:
    """To the operation whose call it answers; or, for a query, to every operation that was sent and asked about."""
    if call.kind == "write":
        if any(item.n == call.n for item in recovery.operation.calls):
            recovery.operation.received(receipt, recovery.contract)
    elif call.tool in (recovery.tool_for(move) for move in SURFACES):
        told = reveal_of(recovery, call, body)
        for other in recovery.log.recoveries:
            if other.operation.calls and about(told, other.operation):
                other.operation.read(call, None if body is None else told, other.contract)
    return receipt


def reveal_of(recovery: Recovery, call: Call, body: Mapping[str, Any] | None) -> Reveal:
    """What an answer tells: a status by handle, or a list of rows with their references. None: only what was asked."""
    if call.kind != "read":
        return handle_reveal(call.kind, recovery.contract, str(call.args["reference"]), body)
    answer = body or {}
    rows = next((value for value in answer.values() if isinstance(value, list)), [])
    shown = tuple(row.get("reference") for row in rows if isinstance(row, Mapping))
    operation = recovery.operation
    said: Literal["present", "absent"] = "present" if shown else "absent"
    whole = answer.get("complete", True) is True
    return Reveal(operation.tool, operation.identity, None, shown, said, fresh=whole)
