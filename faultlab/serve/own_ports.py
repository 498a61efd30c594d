"""Ports of single sessions: of those whose plan closes one, which cannot be done to a port that others share."""

import asyncio
from collections.abc import Coroutine
from typing import NamedTuple, Protocol

from faultlab.core.actions import Reply
from faultlab.engine.session import Session
from faultlab.serve.live import Live
from faultlab.transports.keys import RawHeaders
from faultlab.transports.wire.gate import Gate
from faultlab.transports.wire.limits import Limits
from faultlab.transports.wire.own_port import OwnPort
from faultlab.transports.wire.speech import Request, Speech

MOST = 200
"""At a time: each costs a descriptor, and those of a process are few."""


class Shape(NamedTuple):
    """What all ports of a server have in common."""

    host: str
    limits: Limits
    gate: Gate | None
    speech: Speech | None
    grace_s: float


class Registry(Protocol):
    """All sessions of the server."""

    def of_own_port(self, live: Live, target: bytes) -> tuple[Session, bytes] | Reply:
        """What a request to the port of a session is for."""

    def beside(self, request: Request) -> bool:
        """See `Door`."""

    def aside(self, session: Session, request: Request) -> Reply:
        """See `Door`."""


class LiveDoor:
    """The door of one session."""

    begun = True

    def __init__(self, live: Live, session: Session, registry: Registry) -> None:
        self.session = session
        self._live = live
        self._door = registry

    def find(self, target: bytes, headers: RawHeaders) -> tuple[Session, bytes] | Reply:
        return self._door.of_own_port(self._live, target)

    def beside(self, request: Request) -> bool:
        return self._door.beside(request)

    def aside(self, session: Session, request: Request) -> Reply:
        return self._door.aside(session, request)


class OwnPorts:
    """Which session has which port."""

    def __init__(self, shape: Shape) -> None:
        self._shape = shape
        self._open: dict[str, OwnPort] = {}
        self._ending: set[asyncio.Task[None]] = set()

    @property
    def full(self) -> bool:
        return len(self._open) >= MOST

    @property
    def connections(self) -> int:
        return sum(port.connections for port in self._open.values())

    async def open(self, live: Live, registry: Registry) -> None:
        """Give a session its port: the one that it had in an earlier life of the server, or a free one.

        Raises OSError where there is none to be had.
        """
        assert live.session is not None
        host, limits, gate, speech, _ = self._shape
        own = LiveDoor(live, live.session, registry)
        had = 0 if live.address is None else live.address[1]
        try:
            port = await OwnPort.of(own, (host, had), limits, gate, speech)
        except OSError:
            if not had:
                raise
            port = await OwnPort.of(own, (host, 0), limits, gate, speech)
        self._open[live.id] = port
        live.address = port.address

    def look(self, live: Live) -> None:
        """The plan of a session has changed."""
        if (port := self._open.get(live.id)) is not None:
            port.look()

    def close(self, live: Live) -> None:
        """A session has ended: its last answer goes out, then its port is closed."""
        if (port := self._open.pop(live.id, None)) is not None:
            self._run(port.close(self._shape.grace_s))

    def _run(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)

    async def close_all(self) -> None:
        """The server stops."""
        for port in self._open.values():
            self._run(port.close(self._shape.grace_s))
        self._open.clear()
        if self._ending:
            await asyncio.wait(self._ending)
