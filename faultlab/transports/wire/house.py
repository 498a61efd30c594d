"""What the connections of a port share."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from faultlab.transports.wire.gate import Gate
from faultlab.transports.wire.limits import Limits
from faultlab.transports.wire.speech import Speech

if TYPE_CHECKING:
    from faultlab.transports.wire.protocol import Connection


class House:
    """All connections of a server, and the limits that they share."""

    __slots__ = ("_emptied", "_timer", "away", "closed", "connections", "gate", "limits", "loop", "settled", "speech")

    def __init__(self, loop: asyncio.AbstractEventLoop, limits: Limits, gate: Gate, speech: Speech) -> None:
        self.loop = loop
        self.gate = gate
        self.speech = speech
        self.limits = limits
        self.connections: set[Connection] = set()
        self.settled: Callable[[], None] | None = None
        """Told each time when a request has been dealt with."""
        self.closed = False
        """Nobody listens ever again: a connection ends with its answer."""
        self.away = False
        """Nobody listens at present: a peer is told so with its answer, and what it has sent by then is still read."""
        self._timer: asyncio.TimerHandle | None = None
        self._emptied: asyncio.Event | None = None

    async def empty(self, wait_s: float) -> None:
        """Wait until every connection is lost, but not longer than `wait_s`."""
        if not self.connections:
            return
        self._emptied = asyncio.Event()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._emptied.wait(), wait_s)

    def enter(self, connection: "Connection") -> bool:
        """Whether there is room for one more. It is counted either way, until it is lost."""
        self.connections.add(connection)
        if self._timer is None:
            self._timer = self.loop.call_later(1.0, self._look)
        return len(self.connections) <= self.limits.connections

    def leave(self, connection: "Connection") -> None:
        self.connections.discard(connection)
        if self.connections:
            return
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._emptied is not None:
            self._emptied.set()

    def _look(self) -> None:
        now_s = self.loop.time()
        for connection in list(self.connections):
            connection.look(now_s)
        self._timer = self.loop.call_later(1.0, self._look) if self.connections else None
