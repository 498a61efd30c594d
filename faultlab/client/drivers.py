"""client: carry out the steps of an operation, for sync and for async callers. Nothing is decided here."""

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

from faultlab.client.operate import Machine
from faultlab.client.result import Result
from faultlab.client.steps import Invoke, Sleep, Step, Write
from faultlab.client.tool_spec import ToolSpec
from faultlab.core.clock import Clock

Hook = Callable[[str], None]
"""Told `before NAME` and `after NAME` around each write to the journal and each call: where tests stop a process."""


def run(machine: Machine, spec: ToolSpec, clock: Clock, hook: Hook) -> Result:
    """For synchronous callers."""
    value: Any = None
    try:
        step = next(machine)
        while True:
            hook(f"before {name_of(step)}")
            try:
                if isinstance(step, Sleep):
                    value = clock.sleep(step.wait_s)  # type: ignore[func-returns-value]  # a wait has no answer
                elif isinstance(step, Write):
                    value = step.action()
                else:
                    value = _call(spec, step)
            except BaseException as error:  # noqa: BLE001 - the machine gives its lease back and raises it again
                machine.throw(error)
            hook(f"after {name_of(step)}")
            step = machine.send(value)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]  # of Machine


async def arun(machine: Machine, spec: ToolSpec, clock: Clock, hook: Hook, *, threads: bool) -> Result:
    """For asynchronous callers. `threads`: the journal waits for a disk, so its writes leave the loop free."""
    value: Any = None
    try:
        step = next(machine)
        while True:
            hook(f"before {name_of(step)}")
            try:
                if isinstance(step, Sleep):
                    value = await clock.asleep(step.wait_s)  # type: ignore[func-returns-value]  # as above
                elif isinstance(step, Write):
                    value = await asyncio.to_thread(step.action) if threads else step.action()
                else:
                    value = await _acall(spec, step, threads=threads)
            except BaseException as error:  # noqa: BLE001 - as above
                machine.throw(error)
            hook(f"after {name_of(step)}")
            step = machine.send(value)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]  # as above


def name_of(step: Step) -> str:
    """What a hook is told of a step."""
    if isinstance(step, Write):
        return step.name
    return "sleep" if isinstance(step, Sleep) else "call"


def _call(spec: ToolSpec, step: Invoke) -> Any:
    function, arguments = spec.plan(step)
    try:
        return spec.body(step, function(**arguments))
    except Exception as error:  # noqa: BLE001 - whatever it is, it proves something or nothing
        return spec.failed(step, error)


async def _acall(spec: ToolSpec, step: Invoke, *, threads: bool) -> Any:
    function, arguments = spec.plan(step)
    try:
        if inspect.iscoroutinefunction(function) or not threads:
            returned = function(**arguments)
        else:
            returned = await asyncio.to_thread(function, **arguments)
        return spec.body(step, await returned if inspect.isawaitable(returned) else returned)
    except Exception as error:  # noqa: BLE001 - as above
        return spec.failed(step, error)
