"""A lab on a socket of its own, for callers that take only a URL."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Lock
from typing import Any

from faultlab.api import front
from faultlab.api.behind import Behind
from faultlab.api.over_http import REPLAYED
from faultlab.api.relay import Answered
from faultlab.api.session import FrontSession
from faultlab.api.turns import Turns
from faultlab.core.actions import Reply
from faultlab.engine.engine import Ticket
from faultlab.engine.session import Session
from faultlab.transports.codec import Asked, Encoded, encode
from faultlab.transports.http_library import ERRORS
from faultlab.transports.wire.gate import OpenGate, Work
from faultlab.transports.wire.listener import InThread, OneSession
from faultlab.transports.wire.own_port import OwnPort
from faultlab.transports.wire.speech import Request, Tools

AT_ONCE = 32
"""So many requests an app may work on at a time."""
SETTLE_S = 5.0
"""How long the end of a run waits for an app that still works."""
ROUNDS = 10
"""Rounds of the loop in which everything that callers have done by now is noticed."""
HOP = frozenset(
    {b"connection", b"keep-alive", b"proxy-connection", b"te", b"trailer", b"transfer-encoding", b"upgrade"}
)
"""Header fields about one connection only (RFC 9110 section 7.6.1); this one is framed by its own."""


class Port:
    """An open port on loopback in front of one lab. `behind`: what executes its calls; None: the engine does.

    `origin`: where requests are addressed to behind the lab; None: as they came.
    """

    def __init__(self, session: Session, behind: Behind | None, turns: Turns, origin: Callable[[], str | None]) -> None:
        self._threads = None if behind is None else Threads(turns)
        speech = None if behind is None else FrontSpeech(behind, origin)
        self._server = InThread(OwnPort.of(OneSession(session), gate=self._threads or OpenGate(), speech=speech))
        self.url = self._server.url

    def settle(self) -> None:
        """Take notice of every connection that callers have closed, and let an app end what it works on."""
        self._server.run(_passed())
        if self._threads is not None:
            self._threads.rest(SETTLE_S)
            self._server.run(_passed())

    def close(self) -> None:
        """Close the port and end its threads."""
        self._server.close(0.0)
        if self._threads is not None:
            self._threads.close()


async def _passed() -> None:
    """The loop has looked at every socket: what is there is accepted, read and noticed within a few rounds."""
    for _ in range(ROUNDS):
        await asyncio.sleep(0)


class Threads:
    """The gate before an app: it may take its time, in a thread, while other requests go on."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        self._pool = ThreadPoolExecutor(AT_ONCE, "faultlab-url")
        self._running: set[Future[object]] = set()
        self._lock = Lock()

    def enter(self, session: Session, work: Work, release: Work) -> None:
        """See `Gate`."""
        loop = asyncio.get_running_loop()
        future = self._pool.submit(self._in_turn, work)
        with self._lock:
            self._running.add(future)
        future.add_done_callback(lambda done: self._done(done, session, loop, release))

    def _in_turn(self, work: Work) -> object:
        with self._turns:
            return work()

    def _done(self, future: "Future[object]", session: Session, loop: asyncio.AbstractEventLoop, then: Work) -> None:
        if (error := future.exception()) is not None:
            session.engine.server.broken = error
        with self._lock:
            self._running.discard(future)
        loop.call_soon_threadsafe(then)

    def rest(self, wait_s: float) -> None:
        """Wait until nothing is at work, but not longer than `wait_s`."""
        with self._lock:
            running = set(self._running)
        wait(running, wait_s)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


class FrontSpeech(Tools):
    """Any request is a call, executed by what stands behind the lab; its answer goes out as it came."""

    def __init__(self, behind: Behind, origin: Callable[[], str | None]) -> None:
        self._behind = behind
        self._origin = origin
        self._calls: dict[int, int] = {}
        """Request at work -> its call."""
        self._left: dict[int, int] = {}
        """Request at work whose caller has gone -> when, in ns."""

    def read(self, session: Session, request: Request) -> Asked | Reply:
        assert isinstance(session, FrontSession)
        return session.front.ask(self._plain(request), request.target, session.brief.contract)

    def begin(self, session: Session, request: Request, asked: Asked) -> Ticket:
        assert isinstance(session, FrontSession)
        place, plain = id(request), self._plain(request)
        self._calls[place] = session.count + 1
        try:
            ticket = session.begun_by_wire(asked, lambda: self._behind(plain))
        finally:
            del self._calls[place]
        if place in self._left:
            ticket.closed_ns = self._left.pop(place)
        return ticket

    def left(self, session: Session, request: Request) -> None:
        assert isinstance(session, FrontSession)
        place = id(request)
        if (number := self._calls.get(place)) is not None:
            self._left[place] = session.gave_up(number, "ReadTimeout")

    def encode(self, session: Session, request: Request, reply: Reply) -> Encoded | None:
        assert isinstance(session, FrontSession)
        answer = session.answer_of(reply)
        return super().encode(session, request, reply) if answer is None else _as_it_came(answer, reply)

    def _plain(self, request: Request) -> front.Request:
        """Addressed to what is behind the lab."""
        method, target, headers, body, _ = request
        origin = self._origin()
        if origin is None:
            host = next((value for name, value in headers if name.lower() == b"host"), b"localhost")
            origin = f"http://{host.decode('latin-1')}"
        else:
            host = origin.partition("//")[2].encode()
            headers = [(name, host if name.lower() == b"host" else value) for name, value in headers]
        return front.Request(method, f"{origin}{target.decode('latin-1')}", headers, body)


def _as_it_came(answer: Answered, reply: Reply) -> Encoded | None:
    """Its own headers and bytes; framed for this connection. None: what is behind the lab had no answer either."""
    raw: Any = answer.raw
    if isinstance(raw, Exception):
        return None if type(raw).__name__ in ERRORS else encode(Reply(500, answer.body))
    told = [(name, value) for name, value in raw.headers if name.lower() not in HOP]
    framed = raw.status in (204, 304) or any(name.lower() == b"content-length" for name, _ in told)
    if not framed:
        told.append((b"content-length", str(len(raw.body)).encode()))
    if REPLAYED in reply.headers:
        told.append((REPLAYED.encode(), reply.headers[REPLAYED].encode()))
    return Encoded(raw.status, tuple(told), raw.body)
