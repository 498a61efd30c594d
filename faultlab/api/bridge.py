"""A bridge from code that waits by blocking to code that waits by `await`: both kinds of callers share one path.

`await bridged(function)` runs an ordinary function beside the event loop; `await_here(awaitable)` inside it suspends
that function, and nothing else, until the loop has the result.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import copy_context
from typing import Any, TypeVar

from greenlet import getcurrent, greenlet

from faultlab.transports.begin import awaitable_here

T = TypeVar("T")


class _Bridged(greenlet):
    """A greenlet whose parent awaits what it is handed."""


def in_bridge() -> bool:
    """Whether the caller runs under `bridged`, and may await."""
    return isinstance(getcurrent(), _Bridged)


def await_here(awaitable: Awaitable[T]) -> T:
    """The result of an awaitable, from a function that runs under `bridged`. Raises what it raises."""
    here = getcurrent()
    assert isinstance(here, _Bridged)
    assert here.parent is not None
    value: T = here.parent.switch(awaitable)
    return value


async def bridged(function: Callable[..., T], *args: Any) -> T:
    """Run `function(*args)`; whatever it waits for by `await_here` is awaited on the running loop. Raises BadInput
    under trio."""
    awaitable_here()
    bridge = _made(function)
    value: T = await _driven(bridge, bridge.switch(*args))
    return value


def started(function: Callable[..., T], *args: Any) -> "asyncio.Future[T]":
    """Run `function(*args)` at once, up to where it first waits; from there on it is a task of its own, which the end
    or the cancellation of its caller leaves running. For functions that run under `bridged`."""
    bridge = _made(function)
    wanted = bridge.switch(*args)
    if not bridge.dead:
        return asyncio.ensure_future(_driven(bridge, wanted))
    done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
    done.set_result(wanted)
    return done


def _made(function: Callable[..., Any]) -> _Bridged:
    bridge = _Bridged(function)
    bridge.gr_context = copy_context()
    return bridge


async def _driven(bridge: _Bridged, wanted: Any) -> Any:
    """Await what the function waits for, until it has ended with `wanted` as its result."""
    while not bridge.dead:
        try:
            value = await wanted
        except BaseException as error:  # noqa: BLE001  a cancellation too belongs to the function that waits
            bridge.parent = getcurrent()
            wanted = bridge.throw(error)
        else:
            bridge.parent = getcurrent()
            wanted = bridge.switch(value)
    return wanted
