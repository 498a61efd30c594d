"""A listening port on loopback or elsewhere, in a running loop or in a thread of its own."""

import asyncio
import threading
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, TypeVar

from faultlab.core.actions import Reply
from faultlab.core.errors import BadInput
from faultlab.engine.session import Session
from faultlab.transports.keys import RawHeaders
from faultlab.transports.wire.door import Door
from faultlab.transports.wire.gate import Gate, OpenGate
from faultlab.transports.wire.house import House
from faultlab.transports.wire.limits import Limits
from faultlab.transports.wire.protocol import Connection
from faultlab.transports.wire.speech import Request, Speech, Tools

T = TypeVar("T")


def url_of(address: tuple[str, int]) -> str:
    """Of a host (an address of IPv4 or IPv6, or a name) and a port."""
    host, port = address
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


class OneSession:
    """The whole port belongs to one session."""

    begun = True

    def __init__(self, session: Session) -> None:
        self.session = session

    def find(self, target: bytes, headers: RawHeaders) -> tuple[Session, bytes] | Reply:
        return self.session, target

    def beside(self, request: Request) -> bool:
        return False

    def aside(self, session: Session, request: Request) -> Reply:
        raise AssertionError("nothing is beside the tools of this port")


class Listener:
    """An open port and its connections."""

    def __init__(self, server: asyncio.Server, house: House) -> None:
        self._server = server
        self._house = house
        self.address: tuple[str, int] = server.sockets[0].getsockname()[:2]

    @staticmethod
    async def open(
        door: Door,
        host: str = "127.0.0.1",
        port: int = 0,
        limits: Limits | None = None,
        gate: Gate | None = None,
        speech: Speech | None = None,
    ) -> "Listener":
        """Listen; port 0 takes a free one. Raises BadInput where the address cannot be had."""
        loop = asyncio.get_running_loop()
        house = House(loop, limits or Limits(), gate or OpenGate(), speech or Tools())
        try:
            server = await loop.create_server(lambda: Connection(door, house), host, port, backlog=2048)
        except OSError as error:
            raise BadInput(f"cannot listen on {host}:{port}: {error.strerror or error}; name another port") from error
        return Listener(server, house)

    @property
    def url(self) -> str:
        return url_of(self.address)

    @property
    def connections(self) -> int:
        return len(self._house.connections)

    async def close(self, grace_s: float = 5.0) -> None:
        """Take no new connections, let answers on their way out for `grace_s`, then cut what is left."""
        self._server.close()
        self._house.closed = True
        for connection in list(self._house.connections):
            connection.end(at_once=False)
        await self._house.empty(grace_s)
        for connection in list(self._house.connections):
            connection.end(at_once=True)
        await asyncio.sleep(0)
        await self._server.wait_closed()


class InThread:
    """A listener in a thread of its own, for callers that are synchronous: `with InThread(Listener.open(...))`."""

    def __init__(self, opened: Coroutine[Any, Any, Listener]) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="faultlab-wire", daemon=True)
        self._thread.start()
        try:
            self.listener = self.run(opened)
        except BaseException:
            self._stop()
            raise

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something on its loop; the result."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    @property
    def url(self) -> str:
        return self.listener.url

    def close(self, grace_s: float = 1.0) -> None:
        """Close the port and end the thread."""
        try:
            self.run(self.listener.close(grace_s))
        finally:
            self._stop()

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> "InThread":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
