"""The clock of whoever calls a lab: one that blocks, one that jumps, or the loop of an async caller."""

import asyncio

from faultlab.api.bridge import await_here, in_bridge
from faultlab.api.turns import Turns
from faultlab.core.clock import Clock, LoopClock, RealClock, VirtualClock
from faultlab.matrix.loop import VirtualLoop


class CallersClock:
    """The clock of whoever calls: one that blocks, or an event loop that is awaited across the bridge."""

    def __init__(self, clock: Clock) -> None:
        self.inner = clock
        self.turns = Turns()
        self._offset_ns = 0

    def go_on(self, clock: Clock) -> None:
        """Follow another clock, which stands at 0 now. Time goes on from where it is."""
        self._offset_ns = self.now()
        self.inner = clock

    @property
    def runs_by_itself(self) -> bool:
        """Whether it goes on while an app works on an event loop."""
        return not isinstance(self.inner, VirtualClock)

    @property
    def is_real(self) -> bool:
        """Whether its time is that of the machine, which a socket needs."""
        return isinstance(self.inner, RealClock)

    def real_s(self, wait_ns: int) -> float:
        """Real seconds in which `wait_ns` pass."""
        assert isinstance(self.inner, RealClock)
        return self.inner.real_s(wait_ns)

    def now(self) -> int:
        return self.inner.now() + self._offset_ns

    def sleep(self, wait_s: float) -> None:
        self.inner.sleep(wait_s)

    async def asleep(self, wait_s: float) -> None:
        await self.inner.asleep(wait_s)

    def until(self, at_ns: int) -> None:
        until_ns = at_ns - self._offset_ns
        if in_bridge():
            self.turns.apart(lambda: await_here(self.inner.auntil(until_ns)))
        elif isinstance(self.inner, LoopClock):
            self._block(until_ns)
        else:
            self.turns.apart(lambda: self.inner.until(until_ns))

    def _block(self, until_ns: int) -> None:
        """A synchronous call on a virtual loop: as on a real one, it blocks the loop while its time passes."""
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        loop.clock.until(loop.clock.now() + max(0, until_ns - self.inner.now()))

    async def auntil(self, at_ns: int) -> None:
        await self.inner.auntil(at_ns - self._offset_ns)
