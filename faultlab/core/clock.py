"""Time as the lab and its agents see it: integer nanoseconds since the attempt began.

Only this module touches `time`. The engine holds no clock at all: it is told the time.
"""

import asyncio
import time
from email.utils import formatdate
from functools import lru_cache
from operator import itemgetter
from threading import Lock, get_ident
from typing import Any, Protocol

NS = 1_000_000_000
"""Nanoseconds in a second."""


def ns(seconds: float) -> int:
    """Seconds as whole nanoseconds."""
    return round(seconds * NS)


class Clock(Protocol):
    """What a caller may do with time. `now` is in nanoseconds, waits are in seconds."""

    def now(self) -> int: ...

    def sleep(self, wait_s: float) -> None: ...

    async def asleep(self, wait_s: float) -> None: ...

    def until(self, at_ns: int) -> None:
        """Wait for a moment; one already past is not waited for."""

    async def auntil(self, at_ns: int) -> None: ...


class VirtualClock:
    """Time moves only when somebody sleeps, and then at once."""

    __slots__ = ("_now",)

    def __init__(self, start_ns: int = 0) -> None:
        self._now = start_ns

    def now(self) -> int:
        return self._now

    def sleep(self, wait_s: float) -> None:
        if wait_s > 0:
            self._now += ns(wait_s)

    def until(self, at_ns: int) -> None:
        """Move to `at_ns`; a moment already past changes nothing."""
        self._now = max(self._now, at_ns)

    async def asleep(self, wait_s: float) -> None:
        self.sleep(wait_s)
        await asyncio.sleep(0)

    async def auntil(self, at_ns: int) -> None:
        self.until(at_ns)
        await asyncio.sleep(0)


class BlocksTheLoop(RuntimeError):
    """A coroutine sleeps without awaiting: on a real loop nothing else would run meanwhile."""


class LoopClock:
    """The clock of the running asyncio loop; virtual exactly when the loop is (`matrix/loop.py`)."""

    __slots__ = ("_loop", "_start_s")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._start_s = loop.time()

    def now(self) -> int:
        return ns(self._loop.time() - self._start_s)

    def sleep(self, wait_s: float) -> None:
        raise BlocksTheLoop(
            f"sleep({wait_s}) blocks the event loop of an async agent; await asyncio.sleep({wait_s}) instead"
        )

    async def asleep(self, wait_s: float) -> None:
        await asyncio.sleep(max(0.0, wait_s))

    def until(self, at_ns: int) -> None:
        raise RuntimeError("a synchronous tool blocks the event loop of an async agent; use env.atools or env.ahttp")

    async def auntil(self, at_ns: int) -> None:
        if at_ns <= self.now():
            return
        moment = self._loop.create_future()
        timer = self._loop.call_at(self._start_s + at_ns / NS, _wake, moment)
        try:
            await moment
        finally:
            timer.cancel()


def _wake(moment: "asyncio.Future[None]") -> None:
    if not moment.done():
        moment.set_result(None)


class RealClock:
    """The monotonic clock of this machine. `speed`: how many of its seconds pass in one real second; `age_s`: how many
    real seconds ago it began."""

    __slots__ = ("_start_ns", "speed")

    def __init__(self, speed: float = 1.0, age_s: float = 0.0) -> None:
        self.speed = speed
        self._start_ns = time.monotonic_ns() - ns(age_s)

    def now(self) -> int:
        return round((time.monotonic_ns() - self._start_ns) * self.speed)

    def real_s(self, wait_ns: int) -> float:
        """Real seconds in which `wait_ns` pass on this clock."""
        return max(0, wait_ns) / NS / self.speed

    def sleep(self, wait_s: float) -> None:
        time.sleep(max(0.0, wait_s) / self.speed)

    async def asleep(self, wait_s: float) -> None:
        await asyncio.sleep(max(0.0, wait_s) / self.speed)

    def until(self, at_ns: int) -> None:
        self.sleep((at_ns - self.now()) / NS)

    async def auntil(self, at_ns: int) -> None:
        await self.asleep((at_ns - self.now()) / NS)


def wall_time() -> float:
    """Seconds since the epoch, for rows of the store; never for a trace. Real also inside an attempt."""
    return float(_REAL["time"]())


def unix_ns() -> int:
    """Nanoseconds since the epoch by the clock that the caller's code lives by: virtual inside an attempt that is."""
    return time.time_ns()


def instant(clock: Clock, unix_s: float) -> int:
    """A date, in seconds since 1970, as a moment on an attempt's clock."""
    if isinstance(clock, RealClock):
        return clock.now() + round((unix_s - wall_time()) * clock.speed * NS)
    return round((unix_s - EPOCH_S) * NS)


def http_date() -> bytes:
    """The present second as IMF-fixdate (RFC 9110 section 5.6.7)."""
    return _imf_fixdate(int(wall_time()))


@lru_cache(maxsize=1)
def _imf_fixdate(second: int) -> bytes:
    return formatdate(second, usegmt=True).encode()


def today() -> str:
    """The ISO date in UTC, for findings that are accepted until a day."""
    return day_of(wall_time())


def day_of(unix_s: float) -> str:
    """The same for another moment."""
    return time.strftime("%Y-%m-%d", time.gmtime(unix_s))


def stopwatch() -> float:
    """Monotonic seconds, for progress lines and benchmarks; never for a trace. Real also inside an attempt."""
    return float(_REAL["perf_counter"]())


EPOCH_S = 1_767_225_600
"""What `time.time()` answers at the start of an attempt in virtual time: 2026-01-01T00:00:00Z."""

_NAMES = ("sleep", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "time", "time_ns")
_current = itemgetter(*_NAMES)
_REAL = dict(zip(_NAMES, _current(vars(time)), strict=True))
_clocks: dict[int, VirtualClock | LoopClock] = {}
"""The threads that live in virtual time. All others keep real time: their waits would spin."""
_lock = Lock()
_before: dict[str, Any] = {}
"""What `time` held when the first of them came."""


def _sleep(seconds: float, /) -> None:
    clock = _clocks.get(get_ident())
    if clock is None:
        _REAL["sleep"](seconds)
    elif seconds >= 0:
        clock.sleep(seconds)
    else:
        raise ValueError("sleep length must be non-negative")


def _monotonic() -> float:
    clock = _clocks.get(get_ident())
    return _REAL["monotonic"]() if clock is None else clock.now() / NS


def _monotonic_ns() -> int:
    clock = _clocks.get(get_ident())
    return _REAL["monotonic_ns"]() if clock is None else clock.now()


def _perf_counter() -> float:
    clock = _clocks.get(get_ident())
    return _REAL["perf_counter"]() if clock is None else clock.now() / NS


def _perf_counter_ns() -> int:
    clock = _clocks.get(get_ident())
    return _REAL["perf_counter_ns"]() if clock is None else clock.now()


def _time() -> float:
    clock = _clocks.get(get_ident())
    return _REAL["time"]() if clock is None else EPOCH_S + clock.now() / NS


def _time_ns() -> int:
    clock = _clocks.get(get_ident())
    return _REAL["time_ns"]() if clock is None else EPOCH_S * NS + clock.now()


def lives_virtually() -> bool:
    """Whether this thread's `time` follows a virtual clock now."""
    return get_ident() in _clocks


_VIRTUAL = dict(
    zip(
        _NAMES,
        (_sleep, _monotonic, _monotonic_ns, _perf_counter, _perf_counter_ns, _time, _time_ns),
        strict=True,
    )
)


class patched:
    """`time.sleep`, `time`, `monotonic`, `perf_counter` and their _ns forms follow `clock`, in this thread.

    Several threads may be inside at once, each on its own clock; `time` is as it was when the last one has left.
    For synchronous agents, and for async ones on a virtual loop. `clock` must be virtual. Code that
    reads `time.sleep` when it calls it follows (tenacity, backoff, urllib3, requests). Not followed:
    `from time import sleep` made before the attempt, `datetime.now()`, `time.gmtime()` without an
    argument, and waits of locks, queues, events, subprocesses and sockets. `wall_time` and
    `stopwatch` above do follow.
    """

    __slots__ = ("_new", "_outer", "_thread")

    def __init__(self, clock: VirtualClock | LoopClock) -> None:
        self._new = clock

    def __enter__(self) -> None:
        self._thread = thread = get_ident()
        self._outer = _clocks.get(thread)
        with _lock:
            if not _clocks:
                names = vars(time)
                _before.update(zip(_NAMES, _current(names), strict=True))
                names.update(_VIRTUAL)
            _clocks[thread] = self._new

    def __exit__(self, *_: object) -> None:
        if self._outer is not None:
            _clocks[self._thread] = self._outer
            return
        with _lock:
            del _clocks[self._thread]
            if not _clocks:
                vars(time).update(_before)
