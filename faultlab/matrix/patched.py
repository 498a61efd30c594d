"""Virtual time for synchronous agents, also for one that calls `asyncio.run` inside."""

import asyncio
import threading
from types import TracebackType
from typing import Any

from faultlab.core.clock import VirtualClock, patched
from faultlab.matrix.loop import VirtualLoop


class _Policy(asyncio.DefaultEventLoopPolicy):
    """Makes loops on `clock`: a real loop would wait for a virtual time that never comes."""

    _ready = False

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self._thread = threading.get_ident()

    def __getattr__(self, name: str) -> Any:
        """Only an agent that uses asyncio needs the state of a policy, and making it costs every attempt."""
        if self._ready:
            raise AttributeError(name)
        self._ready = True
        super().__init__()
        return getattr(self, name)

    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        if threading.get_ident() != self._thread:
            return super().new_event_loop()
        return VirtualLoop(self._clock)


class virtual_time:
    """While the body runs, the `time` module and new asyncio loops of this thread follow `clock`.

    What `core.clock.patched` does not reach stays real. Everything is put back at the end.
    """

    __slots__ = ("_clock", "_outer", "_patched")

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self._patched = patched(clock)

    def __enter__(self) -> None:
        self._outer = asyncio.get_event_loop_policy()
        asyncio.set_event_loop_policy(_Policy(self._clock))
        self._patched.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._patched.__exit__(kind, error, trace)
        asyncio.set_event_loop_policy(self._outer)
