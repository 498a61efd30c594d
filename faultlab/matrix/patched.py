"""Virtual time for synchronous agents, also for one that calls `asyncio.run` inside."""

import asyncio
from threading import Lock, get_ident
from types import TracebackType
from typing import Any

from faultlab.core.clock import VirtualClock, patched
from faultlab.matrix.loop import VirtualLoop


class _Virtual(asyncio.DefaultEventLoopPolicy):
    """Makes loops on `clock`: a real loop would wait for a virtual time that never comes."""

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__()
        self._clock = clock

    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        return VirtualLoop(self._clock)


class _EachItsOwn(asyncio.AbstractEventLoopPolicy):
    """A thread that lives in virtual time has a policy of its own; all others have the one that was there before."""

    before: asyncio.AbstractEventLoopPolicy

    def _here(self) -> asyncio.AbstractEventLoopPolicy:
        inside = _inside.get(get_ident())
        return self.before if inside is None else inside.policy()

    def get_event_loop(self) -> asyncio.AbstractEventLoop:
        return self._here().get_event_loop()

    def set_event_loop(self, loop: asyncio.AbstractEventLoop | None) -> None:
        self._here().set_event_loop(loop)

    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        return self._here().new_event_loop()

    def get_child_watcher(self) -> Any:
        return self._here().get_child_watcher()

    def set_child_watcher(self, watcher: Any) -> None:
        self._here().set_child_watcher(watcher)


_shared = _EachItsOwn()
"""The policy of the process while a thread is inside."""
_inside: dict[int, "virtual_time"] = {}
_lock = Lock()


class virtual_time:
    """While the body runs, the `time` module and new asyncio loops of this thread follow `clock`.

    What `core.clock.patched` does not reach stays real. Everything is put back when the last thread leaves.
    """

    __slots__ = ("_clock", "_outer", "_patched", "_policy", "_thread")

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self._patched = patched(clock)
        self._policy: _Virtual | None = None

    def policy(self) -> asyncio.AbstractEventLoopPolicy:
        """Only an agent that uses asyncio needs one, and making it costs every attempt."""
        if self._policy is None:
            self._policy = _Virtual(self._clock)
        return self._policy

    def __enter__(self) -> None:
        self._thread = thread = get_ident()
        self._outer = _inside.get(thread)
        with _lock:
            if not _inside:
                _shared.before = asyncio.get_event_loop_policy()
                asyncio.set_event_loop_policy(_shared)
            _inside[thread] = self
        self._patched.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._patched.__exit__(kind, error, trace)
        if self._outer is not None:
            _inside[self._thread] = self._outer
            return
        with _lock:
            del _inside[self._thread]
            if not _inside:
                asyncio.set_event_loop_policy(_shared.before)
