"""The connection: answers requests in their order, and holds a peer to its limits."""

import asyncio
from collections import deque
from typing import Protocol, cast

from faultlab.core.actions import Reply
from faultlab.engine.errors import problem
from faultlab.engine.session import Session
from faultlab.transports.codec import encode
from faultlab.transports.keys import RawHeaders
from faultlab.transports.wire.beside import Beside, Underway
from faultlab.transports.wire.exchange import Exchange
from faultlab.transports.wire.house import House
from faultlab.transports.wire.incoming import DEAF, METHODS, Incoming
from faultlab.transports.wire.responses import CONTINUE, whole
from faultlab.transports.wire.speech import Request


class Door(Protocol):
    """Who knows which session a URL belongs to."""

    def find(self, target: bytes, headers: RawHeaders) -> tuple[Session, bytes] | Reply:
        """The session and the target below its own part of the URL, or the refusal of a URL that has none."""

    def beside(self, request: Request) -> bool:
        """Whether a request is about the attempt and not a tool call: its task, its claim."""

    def aside(self, session: Session, request: Request) -> Reply:
        """The answer to such a request."""


class Connection(Incoming):
    """One peer. Requests are answered one after the other, in the order in which they came."""

    __slots__ = ("_door", "_exchange", "_house", "_paused", "_queue", "_stalled", "gate", "speech")

    def __init__(self, door: Door, house: House) -> None:
        super().__init__(house)
        self._door = door
        self._house = house
        self.gate = house.gate
        self.speech = house.speech
        self._queue: deque[Request] = deque()
        self._exchange: Underway | None = None
        self._paused = False
        """Nothing is read: enough requests wait."""
        self._stalled = False
        """They have waited for long, and it is read again, so that the end of the connection is noticed."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)  # uvloop's transports are of no asyncio class
        if not self._house.enter(self):
            self._refuse(problem(503, "too_many_connections", "The server has as many connections as it may."))

    def connection_lost(self, exc: Exception | None) -> None:
        self._house.leave(self)
        self._queue.clear()
        if self._exchange is not None:
            self._exchange.gone()
            self._exchange = None

    def eof_received(self) -> bool:
        """A peer that waits no longer has closed its socket; one that only shut its writing side cannot be told apart,
        and what was written to it before it did so still goes out. It is told at once, so that what it sends next on
        another connection comes after."""
        if self._exchange is not None:
            self._exchange.gone()
        return False

    def on_message_complete(self) -> None:
        if self._upgrades:
            return  # its body is still to be read
        self._current = False
        parser = self._parser
        name, body = parser.get_method(), self._body
        method = METHODS.get(name) or self._method(name)
        if type(body) is not bytes:
            body = bytes(body)
        request = Request(method, self._target, self._headers, body, parser.should_keep_alive())
        if self._exchange is None:
            self._answer(request)
            return
        if self._stalled:
            self._stop(problem(503, "too_many_waiting", "Too many requests wait on this connection."))
        self._queue.append(request)
        if len(self._queue) >= self._house.limits.pipelined and not self._paused:
            self._paused = True
            self.transport.pause_reading()

    def _continue(self) -> None:
        if self._exchange is None:
            self.transport.write(CONTINUE)

    # Answering.

    def _answer(self, request: Request) -> None:
        found = self._door.find(request.target, request.headers)
        if isinstance(found, Reply):
            self._reply(request, found)
            return
        session, target = found
        if target != request.target:
            method, _, headers, body, keep = request
            request = Request(method, target, headers, body, keep)
        if self._door.beside(request):
            beside = self._exchange = Beside(self._door.aside, request, self)
            beside.enter(session)
            return
        exchange = self._exchange = Exchange(session, request, self)
        self.gate.enter(session, exchange.work, exchange.release)

    def _reply(self, request: Request, reply: Reply) -> None:
        """An answer that no session has a part in."""
        keep = request.keep_alive
        self.transport.write(whole(encode(reply), close=not keep, bodyless=request.method == "HEAD"))
        if not keep:
            self.transport.close()

    def answered(self, keep: bool) -> None:
        """See `Peer`."""
        self._exchange = None
        self.since_s = self.loop.time()
        house = self._house
        if house.settled is not None:
            house.settled()
        if not keep or house.closed:
            self._queue.clear()
            if not self.transport.is_closing():
                self.transport.close()
            return
        if self._queue:
            self.loop.call_soon(self._next)

    def _next(self) -> None:
        if self._queue and self._exchange is None and not self.transport.is_closing():
            if len(self._queue) == self._house.limits.pipelined:
                self._read_on()
                self._stalled = False
            self._answer(self._queue.popleft())
            if self._exchange is None and self._queue:
                self.loop.call_soon(self._next)

    def _read_on(self) -> None:
        if self._paused:
            self._paused = False
            self.transport.resume_reading()

    def _refuse(self, reply: Reply) -> None:
        self._parser = DEAF
        if self.transport.is_closing():
            return
        if self._exchange is None:
            self.transport.write(whole(encode(reply), close=True, bodyless=False))
        self.transport.close()

    def look(self, now_s: float) -> None:
        """Called about once a second: whoever sends too slowly, or nothing at all, is let go."""
        if self.transport.is_closing():
            return
        if self._exchange is not None:
            # A peer whose connection is not read could leave, and nobody would know before it is answered.
            self._stalled = self._stalled or self._paused
            self._read_on()
            return
        waited_s = now_s - self.since_s
        if self._current and waited_s > self._house.limits.request_s:
            self._refuse(problem(408, "too_slow", "The request did not arrive in time."))
        elif not self._current and waited_s > self._house.limits.idle_s:
            self.transport.close()

    def end(self, *, at_once: bool) -> None:
        """The server stops: an answer on its way is let out, an idle connection is closed."""
        if at_once:
            self.transport.abort()
        elif self._exchange is None:
            self.transport.close()

    @property
    def busy(self) -> bool:
        return self._exchange is not None
