"""A port that belongs to one session, and is really closed while nobody listens there."""

import asyncio
import ctypes
import socket
import struct
import sys
from contextlib import suppress
from typing import Protocol

from faultlab.engine.listening import Silent, next_silence_ns, silent_at
from faultlab.engine.session import Session
from faultlab.transports.wire.door import Door
from faultlab.transports.wire.exchange import RealTime
from faultlab.transports.wire.gate import Gate, OpenGate
from faultlab.transports.wire.house import House
from faultlab.transports.wire.limits import Limits
from faultlab.transports.wire.listener import Listener
from faultlab.transports.wire.protocol import Connection
from faultlab.transports.wire.speech import Speech, Tools

BACKLOG = 2048
SO_ATTACH_FILTER = 26
"""Linux, asm-generic/socket.h; `socket` does not name it."""
DROP = struct.pack("HBBI", 0x06, 0, 0, 0)
"""The BPF program `ret #0`: of every packet nothing is kept."""


class OwnDoor(Door, Protocol):
    """A door behind which there is one session."""

    session: Session
    begun: bool
    """Its time runs; until then the port is open."""


class OwnPort(Listener):
    """Looks at its session when a call has ended, and when an outage begins or is over.

    While it is closed, connections are refused by the kernel and no call reaches the lab: the history shows the outage
    (a fault of call 0), not who was turned away. A call on a connection that had come about by then is lost, and the
    history shows it: its caller cannot know that it did nothing.
    """

    def __init__(self, listening: socket.socket, server: asyncio.Server, house: House, door: OwnDoor) -> None:
        super().__init__(server, house)
        self._door = door
        self._listening = listening
        self._taken: set[asyncio.Task[object]] = set()
        self._silent: Silent | None = None
        self._held: socket.socket | None = None
        """Keeps the address while nobody listens."""
        self._timer: asyncio.TimerHandle | None = None
        self._opening: asyncio.Task[None] | None = None
        house.settled = self.look

    @staticmethod
    async def of(
        door: OwnDoor,
        address: tuple[str, int] = ("127.0.0.1", 0),
        limits: Limits | None = None,
        gate: Gate | None = None,
        speech: Speech | None = None,
    ) -> "OwnPort":
        """Listen; port 0 takes a free one. Raises OSError where the address cannot be had."""
        house = House(asyncio.get_running_loop(), limits or Limits(), gate or OpenGate(), speech or Tools())
        listening = bound(address)
        port = OwnPort(listening, await ready(door, house, listening), house, door)
        await port._server.start_serving()
        if door.begun:
            port.look()
        return port

    def look(self) -> None:
        """Close or open the port as it must be now, and look again when that changes."""
        session, loop = self._door.session, self._house.loop
        clock, engine = session.clock, session.engine
        now_ns = clock.now()
        silent = silent_at(engine, now_ns)
        if silent != self._silent:
            self._silent = silent
            if silent is not None:
                self._shut(silent, now_ns)
            else:
                self._opening = loop.create_task(self._open())
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        change_ns = next_silence_ns(engine, now_ns) if silent is None else silent.until_ns
        if change_ns is not None and isinstance(clock, RealTime):
            self._timer = loop.call_later(clock.real_s(change_ns - now_ns), self.look)

    def _shut(self, silent: Silent, now_ns: int) -> None:
        """The address stays ours: what is bound and does not listen refuses."""
        if self._held is None:
            self._take_waiting()
        self._server.close()
        self._release()
        self._held = bound(self.address)
        if silent.timing_out:
            drop_packets(self._held)
            self._held.listen(1)
        self._house.away = True
        if (planned := silent.planned) is not None:
            session = self._door.session
            self._house.gate.enter(session, lambda: session.engine.outage(planned, now_ns), _nothing)
        for connection in list(self._house.connections):
            connection.part()

    def _take_waiting(self) -> None:
        """Whoever has connected and still waits would be reset by the kernel, and its call be in no history. From here
        on nobody is added to them: a packet that comes too early is sent again, and then refused."""
        house = self._house
        drop_packets(self._listening)
        with suppress(OSError):
            while True:
                peer, _ = self._listening.accept()
                peer.setblocking(False)
                made = house.loop.connect_accepted_socket(lambda: Connection(self._door, house), peer)
                task = house.loop.create_task(made)
                self._taken.add(task)
                task.add_done_callback(self._taken.discard)

    async def _open(self) -> None:
        if self._silent is None:
            self._release()
            self._listening = bound(self.address)
            self._server = await ready(self._door, self._house, self._listening)
            self._house.away = False
            for connection in list(self._house.connections):
                connection.end_parted()
            await self._server.start_serving()

    def _release(self) -> None:
        if self._held is not None:
            self._held.close()
            self._held = None

    async def close(self, grace_s: float = 5.0) -> None:
        """See `Listener.close`."""
        self._house.settled = None
        if self._timer is not None:
            self._timer.cancel()
        if self._opening is not None:
            await self._opening
        self._release()
        await super().close(grace_s)


async def ready(door: Door, house: House, listening: socket.socket) -> asyncio.Server:
    """A server that has the socket and does not listen yet."""
    return await house.loop.create_server(
        lambda: Connection(door, house), sock=listening, backlog=BACKLOG, start_serving=False
    )


def _nothing() -> None: ...


def bound(address: tuple[str, int]) -> socket.socket:
    """A socket that has the address and does not listen yet. Raises OSError."""
    made = socket.socket(socket.AF_INET6 if ":" in address[0] else socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.setblocking(False)
    try:
        made.bind(address)
    except OSError:
        made.close()
        raise
    return made


def drop_packets(listening: socket.socket) -> None:
    """Let whoever connects wait: where the kernel has filters, its first packet is dropped; elsewhere it is refused."""
    if sys.platform != "linux":
        return
    program = ctypes.create_string_buffer(DROP)
    listening.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HP", 1, ctypes.addressof(program)))
