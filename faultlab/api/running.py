"""Runs somebody's function on the clock of a lab, whether it blocks or awaits."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from faultlab.api.callers_clock import CallersClock
from faultlab.api.program import awaited_or_not
from faultlab.core.clock import BlocksTheLoop, LoopClock, RealClock, VirtualClock
from faultlab.core.errors import BadInput
from faultlab.matrix.loop import NeedsRealClock, run_virtual
from faultlab.matrix.patched import virtual_time

T = TypeVar("T", bound=BaseException)

ADVICE = 'make the lab with Lab(clock="real")'


def clock_of(name: str) -> CallersClock:
    """`virtual`: waits take no time. `real`: they do."""
    if name not in ("virtual", "real"):
        raise BadInput(f"unknown clock {name!r}; known: virtual, real")
    return CallersClock(RealClock() if name == "real" else VirtualClock())


def in_loop() -> bool:
    """Whether the caller is a coroutine on a running loop."""
    return asyncio._get_running_loop() is not None


def called(function: Callable[[], Any], clock: CallersClock) -> Any:
    """What it returns; anything that is awaited comes as a coroutine still to be run."""
    with patched_for(clock):
        return awaited_or_not(function())


def completed(main: Coroutine[Any, Any, Any], clock: CallersClock) -> Any:
    """The result of a coroutine, on a loop of its own. Raises BadInput where virtual time cannot wait for it."""
    if isinstance(clock.inner, RealClock):
        return asyncio.run(main)
    try:
        return run_virtual(_on_loop(main, clock))
    except Exception as error:
        if (needs := _under(error, NeedsRealClock)) is not None:
            raise BadInput(f"{str(needs).partition(':')[0]}: {ADVICE}") from error
        if (blocks := _under(error, BlocksTheLoop)) is not None:
            raise BadInput(f"lab.run: the program waits in a coroutine without awaiting: {blocks}") from error
        raise


def _under(error: BaseException | None, kind: type[T]) -> T | None:
    """The reason of this kind that lies under it; libraries wrap what a loop raises."""
    if error is None or isinstance(error, kind):
        return error
    under = [error.__cause__ or error.__context__, *getattr(error, "exceptions", ())]
    return next((found for each in under if (found := _under(each, kind)) is not None), None)


def patched_for(clock: CallersClock) -> AbstractContextManager[None]:
    """`time.sleep` and its like follow a virtual clock."""
    inner = clock.inner
    return virtual_time(inner) if isinstance(inner, VirtualClock) else nullcontext()


async def _on_loop(main: Coroutine[Any, Any, Any], clock: CallersClock) -> Any:
    clock.go_on(LoopClock(asyncio.get_running_loop()))
    try:
        return await main
    finally:
        clock.go_on(VirtualClock())
