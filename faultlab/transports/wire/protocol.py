"""The connection: reads requests by httptools, keeps them in order, and holds a peer to its limits."""

import asyncio
from collections import deque
from typing import Protocol, cast

import httptools

from faultlab.core.actions import Reply
from faultlab.engine.errors import problem
from faultlab.engine.session import Session
from faultlab.transports.codec import encode
from faultlab.transports.keys import RawHeaders
from faultlab.transports.wire.beside import Beside, Underway
from faultlab.transports.wire.exchange import Exchange
from faultlab.transports.wire.house import House
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


class Connection(asyncio.Protocol):
    """One peer. Requests are answered one after the other, in the order in which they came."""

    __slots__ = (
        "_body", "_current", "_door", "_exchange", "_expects", "_headers", "_house", "_most_body", "_most_head",
        "_parser", "_paused", "_queue", "_size", "_stalled", "_target", "_too_much",
        "gate", "loop", "since_s", "speech", "transport",
    )  # fmt: skip

    def __init__(self, door: Door, house: House) -> None:
        self._door = door
        self._house = house
        self._most_head = house.limits.header_bytes
        self._most_body = house.limits.body_bytes
        self.loop = house.loop
        self.gate = house.gate
        self.speech = house.speech
        self._queue: deque[Request] = deque()
        self._exchange: Underway | None = None
        self._too_much: Reply | None = None
        self._paused = False
        """Nothing is read: enough requests wait."""
        self._stalled = False
        """They have waited for long, and it is read again, so that the end of the connection is noticed."""
        self.since_s = 0.0
        """When the present request, or the idle time before it, began."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)  # uvloop's transports are of no asyncio class
        self._parser = httptools.HttpRequestParser(self)
        self.since_s = self.loop.time()
        self._current = False
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

    def data_received(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            pass  # an Upgrade that is not understood is ignored (RFC 9110 section 7.8)
        except httptools.HttpParserError as error:
            self._refuse(self._too_much or problem(400, "not_http", f"This is not an HTTP/1.1 request: {error}."))

    # What the parser calls, in order.

    def on_message_begin(self) -> None:
        self._target = b""
        self._headers: list[tuple[bytes, bytes]] = []
        self._body: bytes | bytearray = b""
        self._size = 0
        self._expects = False
        self._current = True
        self.since_s = self.loop.time()

    def on_url(self, url: bytes) -> None:
        self._target += url
        self._size += len(url)
        if self._size > self._most_head:
            self._head_too_large()

    def on_header(self, name: bytes, value: bytes) -> None:
        size = len(name)
        self._headers.append((name, value))
        self._size += size + len(value)
        if self._size > self._most_head:
            self._head_too_large()
        if size == 6 and name.lower() == b"expect":
            self._expects = value.lower() == b"100-continue"

    def _head_too_large(self) -> None:
        self._stop(problem(431, "headers_too_large", f"The header section may have {self._most_head} bytes."))

    def on_headers_complete(self) -> None:
        if self._expects and self._exchange is None:
            self.transport.write(CONTINUE)

    def on_body(self, body: bytes) -> None:
        if not self._body:
            self._body = body
        elif type(self._body) is bytes:
            self._body = bytearray(self._body + body)  # a body in many chunks must not be copied with each
        else:
            self._body += body
        if len(self._body) > self._most_body:
            self._stop(problem(413, "body_too_large", f"A request body may have {self._most_body} bytes."))

    def _stop(self, refusal: Reply) -> None:
        """Ends the parsing from inside a callback; `data_received` answers with the refusal."""
        self._too_much = refusal
        raise ValueError(refusal.body["detail"])

    def on_message_complete(self) -> None:
        self._current = False
        parser = self._parser
        method, body = parser.get_method().decode("latin-1"), self._body
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
        """Answer what cannot be read as a request, and close: where it ends is not known."""
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
