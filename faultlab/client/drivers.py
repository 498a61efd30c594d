"""client: carry out the steps of an operation, for sync and for async callers. Nothing is decided here."""

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

from faultlab.client.operate import Machine
from faultlab.client.result import Result
from faultlab.client.returned import NeverRan
from faultlab.client.steps import Invoke, Sleep, Step, Unsent, Write
from faultlab.client.threads import Threads
from faultlab.client.tool_spec import ToolSpec
from faultlab.core.agent import ToolError
from faultlab.core.clock import Clock
from faultlab.core.records import Outcome, Receipt

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
                step = machine.throw(error)
                continue
            hook(f"after {name_of(step)}")
            step = machine.send(value)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]  # of Machine


async def arun(machine: Machine, spec: ToolSpec, clock: Clock, hook: Hook, *, threads: Threads | None) -> Result:
    """For asynchronous callers. `threads`: those of a journal that waits for a disk; None: it does not.

    Cancelled during a write it waits for the thread, writes what is known, gives the lease back, and begins nothing
    more: a write that ended later would take a lease that nobody gives back.
    """
    value: Any = None
    cut: asyncio.CancelledError | None = None
    try:
        step = next(machine)
        while True:
            hook(f"before {name_of(step)}")
            try:
                if isinstance(step, Sleep):
                    value = await clock.asleep(step.wait_s)  # type: ignore[func-returns-value]  # as above
                elif isinstance(step, Write):
                    value, again = await _written(threads.begin(step.action)) if threads else (step.action(), None)
                    cut = cut or again
                else:
                    value = await _acall(spec, step, threads=threads is not None)
            except BaseException as error:  # noqa: BLE001 - as above
                step = machine.throw(error)
                continue
            hook(f"after {name_of(step)}")
            step = machine.send(value)
            if cut is not None and _begins(step):
                step = machine.throw(Unsent())
    except StopIteration as end:
        if cut is None:
            return end.value  # type: ignore[no-any-return]  # as above
    except (Exception, Unsent):
        if cut is None:
            raise
    raise cut


async def _written(writing: asyncio.Future[Any]) -> tuple[Any, asyncio.CancelledError | None]:
    """What a write in a thread returned, and whether its caller was cancelled meanwhile."""
    cut: asyncio.CancelledError | None = None
    while not writing.done():
        try:
            await asyncio.wait([writing])
        except asyncio.CancelledError as error:
            cut = error
    if cut is not None and writing.exception() is not None:
        raise cut
    return writing.result(), cut


def _begins(step: Step) -> bool:
    """It takes something up; all others write what is known, or give back."""
    return not isinstance(step, Write) or step.name in ("claim", "sending")


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
        return _failed(spec, step, error)


async def _acall(spec: ToolSpec, step: Invoke, *, threads: bool) -> Any:
    function, arguments = spec.plan(step)
    try:
        if inspect.iscoroutinefunction(function) or not threads:
            returned = function(**arguments)
        else:
            returned = await asyncio.to_thread(function, **arguments)
        return spec.body(step, await returned if inspect.isawaitable(returned) else returned)
    except Exception as error:  # noqa: BLE001 - as above
        return _failed(spec, step, error)


def _failed(spec: ToolSpec, step: Invoke, error: Exception) -> ToolError:
    """What an exception proves; nothing where its response cannot be read (a stream, or JSON nested too deeply)."""
    try:
        return spec.failed(step, error)
    except NeverRan:
        raise
    except Exception:  # noqa: BLE001 - whatever kind of response a tool's library has
        found = Receipt(0, 0, Outcome.UNKNOWN, error=type(error).__name__)
        return ToolError(step.tool, found.outcome, found)
