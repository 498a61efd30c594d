"""Both ports in one process, from start to a stop that loses nothing."""

import asyncio
import contextlib
import ipaddress
import secrets
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass

import uvicorn

from faultlab.core.errors import BadInput, FaultlabError
from faultlab.matrix.run import Judge
from faultlab.records.served import ServedStore
from faultlab.serve.admin import Admin, admin_app
from faultlab.serve.garbage import sweep, tune
from faultlab.serve.keeper import Keeper, Steps
from faultlab.serve.order import Order
from faultlab.serve.own_ports import OwnPorts, Shape
from faultlab.serve.redacting import Redacting
from faultlab.serve.sessions import Sessions
from faultlab.serve.views import session_url
from faultlab.transports.wire.limits import Limits
from faultlab.transports.wire.listener import Listener

LIMITS = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """Where to listen. `token`: who bears it may use the admin port; None makes one where others can reach it."""

    host: str = "127.0.0.1"
    port: int = 0
    admin_port: int = 0
    token: str | None = None
    grace_s: float = 5.0
    limits: Limits = LIMITS


@dataclass(frozen=True, slots=True)
class Serving:
    """A server that has begun to listen."""

    data_url: str
    admin_url: str
    token: str | None
    session: str
    """Id of the session that was opened at once."""
    url: str
    """Of that session."""


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def token_for(ports: Ports) -> str | None:
    """The admin port's token: the one given, or a new one where the port is not on loopback."""
    if ports.token is not None or is_loopback(ports.host):
        return ports.token
    return secrets.token_urlsafe(24)


class _AdminServer(uvicorn.Server):
    """Signals are ours to handle: both ports stop together."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            await super().startup(sockets)
        finally:
            self.listening.set()


class Server:
    """Two ports over one registry of sessions. With a store its sessions outlive the process.

    `steps` is told each step between two durable states; tests kill the process there.
    """

    def __init__(self, judge: Judge, ports: Ports, store: str | None = None, steps: Steps | None = None) -> None:
        """Raises BadInput or StoreError where the store cannot be used."""
        self._ports = ports
        self._token = token_for(ports)
        self._store = None if store is None else ServedStore.open(store)
        self._steps = steps or _no_step
        self._sessions = Sessions(judge, self._store)
        self._failure: FaultlabError | None = None

    async def run(self, order: Order, ready: Callable[[Serving], None], stop: asyncio.Event) -> None:
        """Listen until `stop`; `ready` is called once both ports take requests.

        `order`: a session to open at once; on loopback, URLs without a session's id lead to it. Sessions that the
        store holds open are served again. Raises BadInput where a port cannot be had, StoreError where the store
        failed: then nothing that was not stored has been acknowledged.
        """
        ports, sessions = self._ports, self._sessions
        keeper = None
        if self._store is not None:
            keeper = sessions.keeper = Keeper(
                self._store, lambda error: self._fail(error, stop), sessions.forget, self._steps
            )
        speech = None if keeper is None else Redacting()
        own = sessions.ports = OwnPorts(Shape(ports.host, ports.limits, keeper, speech, ports.grace_s))
        try:
            if keeper is not None:
                await sessions.restore()
            listener = await Listener.open(sessions, ports.host, ports.port, ports.limits, keeper, speech)
        except FaultlabError:
            await own.close_all()
            raise
        try:
            first = await sessions.open(order)
            sessions.default = first if is_loopback(ports.host) else None
            admin = Admin(sessions, lambda: listener.url, lambda: listener.connections + own.connections)
            async with self._admin(admin) as admin_url:
                url = session_url(first, listener.url)
                ready(Serving(listener.url, admin_url, self._token, first.id, url))
                await stop.wait()
        finally:
            await asyncio.gather(listener.close(ports.grace_s), own.close_all())
            if keeper is not None:
                await keeper.close()
        if self._failure is not None:
            raise self._failure

    def activity(self) -> object:
        """Changes with every session and every call."""
        return self._sessions.opened, len(self._sessions), self._sessions.totals()

    def _fail(self, error: FaultlabError, stop: asyncio.Event) -> None:
        self._failure = error
        stop.set()

    @contextlib.asynccontextmanager
    async def _admin(self, admin: Admin) -> AsyncIterator[str]:
        """The admin port; gives its URL."""
        ports = self._ports
        config = uvicorn.Config(
            admin_app(admin, self._token),
            ports.host,
            ports.admin_port,
            http="h11",  # httptools has no bounds for a head, and takes requests without a Host
            h11_max_incomplete_event_size=ports.limits.header_bytes,
            ws="none",
            log_level="warning",
            lifespan="off",
            access_log=False,
            timeout_graceful_shutdown=max(1, round(ports.grace_s)),
        )
        server = _AdminServer(config)
        running = asyncio.create_task(_served(server, ports))
        try:
            await server.listening.wait()
            if not server.started:
                await running
            port = server.servers[0].sockets[0].getsockname()[1]
            shown = f"[{ports.host}]" if ":" in ports.host else ports.host
            yield f"http://{shown}:{port}"
        finally:
            server.should_exit = True
            await running


async def _served(server: uvicorn.Server, ports: Ports) -> None:
    """uvicorn ends the process where it cannot listen; here that is one more thing to tell."""
    try:
        await server.serve()
    except SystemExit:
        raise BadInput(f"cannot listen on {ports.host}:{ports.admin_port} for the admin port; name another") from None


def _no_step(name: str) -> None: ...


def serve_until_stopped(server: Server, order: Order, ready: Callable[[Serving], None]) -> None:
    """Run until SIGINT or SIGTERM, on uvloop where it is installed."""

    async def main() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
        sweeping = loop.create_task(sweep(server.activity))
        try:
            await server.run(order, ready, stop)
        finally:
            sweeping.cancel()

    tune()
    runner: Callable[..., None] = asyncio.run
    with contextlib.suppress(ImportError):
        import uvloop

        runner = uvloop.run
    runner(main())
