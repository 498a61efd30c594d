"""An asyncio loop that jumps to its next timer when nothing is runnable, and reports a deadlock."""

import asyncio
import heapq
import math
import sys
from collections import deque
from collections.abc import Callable, Collection, Coroutine
from contextlib import suppress
from contextvars import Context
from types import FrameType
from typing import Any, TypeVar, cast

from faultlab.core.clock import NS, LoopClock, VirtualClock, ns, patched
from faultlab.core.errors import Hung
from faultlab.matrix.guard import REAL_IO
from faultlab.matrix.watchdog import where

T = TypeVar("T")

_RESOLUTION_S = 1e-9
_FINE_NS = 2**22 * NS
"""Up to here (48 days) a float of seconds tells nanoseconds apart."""
_CLEANUP_TURNS = 10_000
"""Turns of the loop that left-over tasks get to end after they were cancelled."""
_REAL_IO = (
    "add_reader", "add_writer", "add_signal_handler", "sock_accept", "sock_recv", "sock_recv_into",
    "sock_recvfrom", "sock_recvfrom_into", "sock_sendall", "sock_sendfile", "sock_sendto",
    "create_server", "create_datagram_endpoint", "create_unix_connection", "create_unix_server",
    "connect_accepted_socket", "connect_read_pipe", "connect_write_pipe", "subprocess_exec",
    "subprocess_shell",
)  # fmt: skip


class Deadlock(RuntimeError):
    """Every task waits, and nothing can wake one."""


class NeedsRealClock(RuntimeError):
    """The agent wants something from outside the process, which virtual time cannot wait for."""


def _needs_real(what: str) -> NeedsRealClock:
    return NeedsRealClock(
        f"loop.{what} waits for something outside this process, which the virtual clock cannot do: "
        "run this agent with --clock real"
    )


class _Timer(asyncio.TimerHandle):
    """Timers of the same nanosecond run in the order in which they were set."""

    __slots__ = ("_rank",)
    _scheduled: bool

    def __init__(self, rank: tuple[int, int], *args: Any) -> None:
        super().__init__(rank[0] / NS, *args)
        self._rank = rank

    def __lt__(self, other: Any) -> bool:
        return self._rank < other._rank  # type: ignore[no-any-return]


class _Jump:
    """Stands where asyncio keeps its selector: waiting for the next timer means moving the clock to it."""

    __slots__ = ("loop", "turns")

    def __init__(self, loop: "VirtualLoop") -> None:
        self.loop = loop
        self.turns = -1
        """Turns before it gives up; below 0: no end."""

    def select(self, timeout: float | None) -> tuple[()]:
        if self.turns == 0:
            raise Deadlock("tasks that were left over do not end although they were cancelled")
        self.turns -= 1
        loop = self.loop
        if timeout is None:
            raise Deadlock(_waiting(loop))
        if timeout > 0:
            loop.clock.until(loop._scheduled[0]._rank[0])
        if loop.clock.now() > _FINE_NS:
            loop._clock_resolution = math.ulp(loop.time())
        return ()


class VirtualLoop(asyncio.BaseEventLoop):
    """Its time is that of `clock`. It owns no descriptor, so nothing outside the process can wake it."""

    _scheduled: list[_Timer]
    _ready: deque[asyncio.Handle]
    _asyncgens: Collection[object]
    _check_closed: Callable[[], None]

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__()
        self.clock = clock
        self._selector = _Jump(self)
        self._clock_resolution = _RESOLUTION_S
        self._order = 0

    def time(self) -> float:
        return self.clock.now() / NS

    def call_at(  # type: ignore[override]  # our typeshed twin needs no TypeVarTuple
        self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        self._check_closed()
        self._order = order = self._order + 1
        if when == math.inf:  # sleep_forever of anyio: nothing to jump to
            return _Timer((sys.maxsize, order), callback, args, self, context)
        timer = _Timer((ns(when), order), callback, args, self, context)
        heapq.heappush(self._scheduled, timer)
        timer._scheduled = True
        return timer

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, Hung) and "handle" in context:
            raise error  # asyncio would log what a callback raises, and go on
        super().call_exception_handler(context)

    def run_in_executor(  # type: ignore[override]
        self, executor: object, func: Callable[..., T], *args: Any
    ) -> asyncio.Future[T]:
        """Inline, because no thread can wake this loop. `time.sleep` in `func` moves the clock."""
        future: asyncio.Future[T] = self.create_future()
        try:
            with patched(self.clock):
                future.set_result(func(*args))
        except Exception as error:  # noqa: BLE001  an executor hands on whatever was raised
            future.set_exception(error)
        return future

    async def sock_connect(self, sock: Any, address: Any) -> None:
        sys.audit("socket.connect", sock, address)  # the guard refuses it or notes it
        raise _needs_real("sock_connect")

    def _process_events(self, event_list: tuple[()]) -> None: ...

    def _write_to_self(self) -> None: ...

    def reset(self) -> None:
        """Forget every timer and callback, and start again at time 0."""
        self._scheduled.clear()
        self._ready.clear()
        self._timer_cancelled_count = 0
        self._clock_resolution = _RESOLUTION_S
        self._order = 0
        self.clock = VirtualClock()


def _refusal(name: str) -> Callable[..., object]:
    def refuse(self: VirtualLoop, *args: Any, **kwargs: Any) -> object:
        sys.audit(REAL_IO, f"loop.{name}")
        raise _needs_real(name)

    return refuse


for _name in _REAL_IO:
    setattr(VirtualLoop, _name, _refusal(_name))


def _stack(task: "asyncio.Task[Any]") -> list[FrameType]:
    """Frames of a waiting task, innermost first."""
    frames: list[FrameType] = []
    inner: Any = task.get_coro()
    while inner is not None:
        frame = getattr(inner, "cr_frame", None) or getattr(inner, "gi_frame", None)
        if frame is not None:
            frames.append(frame)
        inner = getattr(inner, "cr_await", None) or getattr(inner, "gi_yieldfrom", None)
    return frames[::-1]


def _left(loop: VirtualLoop) -> list["asyncio.Task[Any]"]:
    """Unfinished tasks in order of their names, Task-9 before Task-10: asyncio's own set has no order."""
    return sorted(asyncio.all_tasks(loop), key=lambda task: (len(task.get_name()), task.get_name()))


def _waiting(loop: VirtualLoop) -> str:
    places = "; ".join(dict.fromkeys(where(_stack(task)) for task in _left(loop)))
    return (
        f"the agent would wait for ever: every task waits and no timer is set. Waiting at {places}. "
        "Another task must finish what is awaited there, or the wait needs a timeout; if a thread or a "
        "socket is to finish it, run this agent with --clock real"
    )


def _silent(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None: ...


def _clean(loop: VirtualLoop) -> bool:
    """Cancel left-over tasks and let them end. False if there were any: then the loop is not used again."""
    left = _left(loop)
    if not left and not loop._asyncgens:
        return True
    for task in left:
        task.cancel()
    loop.set_exception_handler(_silent)
    loop._selector.turns = _CLEANUP_TURNS
    try:
        if left:
            loop.run_until_complete(loop.create_task(asyncio.wait(left)))
        loop.run_until_complete(loop.create_task(loop.shutdown_asyncgens()))
    except Deadlock:
        pass
    return False


def _drop(loop: VirtualLoop) -> None:
    """Give the loop up, and everything that still waits on it, without a word on stderr."""
    loop.set_exception_handler(_silent)
    for task in _left(loop):
        with suppress(Exception):
            cast(Coroutine[Any, Any, Any], task.get_coro()).close()
    loop.close()


_loop: VirtualLoop | None = None
"""The loop of this process between attempts, at time 0."""


def run_virtual(main: Coroutine[Any, Any, T]) -> T:
    """The result of `main`, run on the virtual loop from time 0; the `time` module follows it meanwhile.

    Tasks that `main` leaves behind are cancelled. Raises what `main` raises, Deadlock if it can never
    end, RuntimeError inside a running loop. One loop serves all attempts of a process; one that held
    left-overs is replaced.
    """
    global _loop
    if asyncio._get_running_loop() is not None:
        main.close()
        raise RuntimeError("an attempt cannot start inside a running asyncio loop: start it from synchronous code")
    loop = _loop or VirtualLoop(VirtualClock())
    _loop = None  # only a loop that was cleaned completely comes back
    reusable = False
    try:
        with patched(LoopClock(loop)):
            try:
                return loop.run_until_complete(loop.create_task(main, name="agent"))
            finally:
                # Only an Exception leaves the loop in order; Hung and Ctrl-C may strike inside asyncio.
                error = sys.exc_info()[1]
                reusable = (error is None or isinstance(error, Exception)) and _clean(loop)
    finally:
        if reusable:
            loop.reset()
            _loop = loop
        else:
            _drop(loop)
