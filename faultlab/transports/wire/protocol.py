"""The connection: answers requests in their order, and holds a peer to its limits."""

import asyncio
from collections import deque
from typing import cast

from faultlab.core.actions import Reply
from faultlab.engine.errors import problem
from faultlab.transports.codec import encode
from faultlab.transports.wire.beside import Beside, Underway
from faultlab.transports.wire.door import Door
from faultlab.transports.wire.exchange import Exchange
from faultlab.transports.wire.halved import Halved
from faultlab.transports.wire.house import House
from faultlab.transports.wire.incoming import DEAF, METHODS, Incoming
from faultlab.transports.wire.responses import CONTINUE, whole
from faultlab.transports.wire.speech import Request

PIECE = 16 << 10
"""So many bytes are parsed, and the requests in them answered, before others have their turn."""
TOO_MANY = problem(503, "too_many_waiting", "Too many requests wait on this connection: read the answers first.")
new_request = tuple.__new__
"""Makes a NamedTuple from all its values for half the price; see `engine/session.py`."""
Waiting = Request | bytes | Reply | None
"""What has its turn later: a request, an interim answer, a refusal that ends the connection, or the end without one."""


class Connection(Incoming):
    """One peer. Requests are answered one after the other, in the order in which they came."""

    __slots__ = (
        "_door", "_exchange", "_heard_s", "_held", "_house", "_paused", "_queue", "_shut", "_stalled", "_unheard",
        "gate", "speech",
    )  # fmt: skip

    def __init__(self, door: Door, house: House) -> None:
        super().__init__(house)
        self._door = door
        self._house = house
        self.gate = house.gate
        self.speech = house.speech
        self._queue: deque[Waiting] = deque()
        self._exchange: Underway | None = None
        self._shut = False
        """No request is begun: the peer does not read its answers, or the connection is at its end."""
        self._held = b""
        """Read and not parsed yet."""
        self._unheard = 0
        """So many bytes of answers had not been taken as it was last looked at,"""
        self._heard_s = 0.0
        """and since then they have been as many."""
        self._paused = False
        """Nothing is read: enough requests wait, or the peer does not read either."""
        self._stalled = False
        """They have waited for long, and it is read again, so that the end of the connection is noticed."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)  # uvloop's transports are of no asyncio class
        if not self._house.enter(self):
            self._refuse(problem(503, "too_many_connections", "The server has as many connections as it may."))

    def connection_lost(self, exc: Exception | None) -> None:
        self._house.leave(self)
        self._shut = True
        self._queue.clear()
        if self._exchange is not None:
            self._exchange.gone()
            self._exchange = None
            self._settled()

    def eof_received(self) -> bool:
        """A peer that waits no longer has closed its socket; one that only shut its writing side cannot be told apart,
        and what is written down as its answer still goes out. It is told at once, so that what it sends next on another
        connection comes after."""
        answers = bool(self._queue) if self._exchange is None else self._exchange.gone()
        if answers:
            self._queue.append(None)
        return answers

    def data_received(self, data: bytes) -> None:
        if len(data) > PIECE or self._held:
            self._hold(data)
        else:
            self._feed(data)

    def _hold(self, data: bytes) -> None:
        """Too much to be answered in one go."""
        if self._held:  # read though enough waits
            self._refuse(TOO_MANY)
            return
        self._held = data
        self._pause()
        self._read_on()

    def _read_on(self) -> None:
        """Parse the next piece of what is held, if there is room; read again when all is parsed."""
        if self._held and self._has_room():
            piece, self._held = self._held[:PIECE], self._held[PIECE:]
            self._feed(piece)
        if not self._has_room():
            return  # called again when there is
        if self._held:
            self.loop.call_soon(self._read_on)
        else:
            self._resume()

    def _has_room(self) -> bool:
        return not self._shut and len(self._queue) < self._house.limits.pipelined

    def pause_writing(self) -> None:
        """The peer does not read: nothing more is read or answered until it does."""
        self._shut = True
        self._pause()

    def resume_writing(self) -> None:
        if self.transport.is_closing():
            return
        self._shut = False
        self.since_s = self.loop.time()
        self.loop.call_soon(self._next)
        self.loop.call_soon(self._read_on)

    def on_message_complete(self) -> None:
        if self._upgrades:
            return  # its body is still to be read
        self._current = False
        parser = self._parser
        name, body = parser.get_method(), self._body
        method = METHODS.get(name) or self._method(name)
        if type(body) is not bytes:
            body = bytes(body)
        headers = self._headers if self._fields is None else self._headers[: self._fields]
        request = new_request(Request, (method, self._target, headers, body, parser.should_keep_alive()))
        if self._exchange is None and not self._queue and not self._shut:
            self._answer(request)
        else:
            self._wait(request)

    def _wait(self, request: Request) -> None:
        if self.transport.is_closing():
            return  # what stands behind a call whose answer is that the connection ends
        if self._stalled:
            self._stop(TOO_MANY)
        self._queue.append(request)
        if len(self._queue) >= self._house.limits.pipelined:
            self._pause()

    def _continue(self) -> None:
        if self._exchange is None and not self._queue and not self._shut:
            self.transport.write(CONTINUE)
        else:
            self._queue.append(CONTINUE)

    # Answering.

    def _answer(self, request: Request) -> None:
        found = self._door.find(request.target, request.headers)
        if isinstance(found, Reply):
            self._reply(request, found)
            return
        session, target = found
        if target != request.target:
            method, _, headers, body, keep = request
            request = new_request(Request, (method, target, headers, body, keep))
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
        elif self._queue:
            self.loop.call_soon(self._next)

    def answered(self, keep: bool) -> None:
        """See `Peer`."""
        self._exchange = None
        self.since_s = self.loop.time()
        self._settled()
        if not keep or self._house.closed:
            self._shut = True
            self._queue.clear()
            if not self.transport.is_closing():
                self.transport.close()
        elif self._queue:
            self.loop.call_soon(self._next)
        elif self._house.away:
            self.end_parted()
            self.part()

    def _settled(self) -> None:
        if self._house.settled is not None:
            self._house.settled()

    def _next(self) -> None:
        """The turn of what has waited longest."""
        if not self._queue or self._exchange is not None or self._shut:
            return
        if len(self._queue) == self._house.limits.pipelined:
            self.loop.call_soon(self._read_on)
            self._stalled = False
        match self._queue.popleft():
            case Request() as request:
                self._answer(request)
                self._forsaken()
            case bytes() as interim:
                self.transport.write(interim)
                self._next()
            case refusal:
                self._end(refusal)

    def _forsaken(self) -> None:
        """The peer may have shut its writing side long before this request had its turn."""
        if self._exchange is not None and self._queue and self._queue[-1] is None and not self._exchange.gone():
            self.transport.close()

    def _pause(self) -> None:
        if not self._paused and not self.transport.is_closing():
            self._paused = True
            self.transport.pause_reading()

    def _resume(self) -> None:
        if self._paused and not self.transport.is_closing():
            self._paused = False
            self.transport.resume_reading()

    def _refuse(self, reply: Reply) -> None:
        if self._current and self._target:  # its method is known
            self._asks_head = self._parser.get_method() == b"HEAD"
        self._parser = DEAF
        self._current = False
        self._held = b""
        if self.transport.is_closing():
            return
        if self._exchange is None and not self._queue and not self._shut:
            self._end(reply)
        else:
            self._queue.append(reply)

    def _end(self, refusal: Reply | None) -> None:
        self._shut = True
        if refusal is not None:
            self.transport.write(whole(encode(refusal), close=True, bodyless=self._asks_head))
        self.transport.close()

    def look(self, now_s: float) -> None:
        """Called about once a second: whoever sends too slowly, or nothing at all, is let go."""
        if self._unread_s(now_s) > self._house.limits.idle_s:
            self.transport.abort()
            return
        if self.transport.is_closing():
            return
        if self._exchange is not None:
            # A peer whose connection is not read could leave, and nobody would know before it is answered.
            self._stalled = self._stalled or self._paused
            self._resume()
            return
        if self._shut:
            return  # it has time to read
        waited_s = now_s - self.since_s
        if self._current and waited_s > self._house.limits.request_s:
            self._refuse(problem(408, "too_slow", "The request did not arrive in time."))
        elif not self._current and waited_s > self._house.limits.idle_s:
            self.transport.close()

    def _unread_s(self, now_s: float) -> float:
        """For how long the peer has taken nothing of its answers, though there is some."""
        size = self.transport.get_write_buffer_size()
        if not size or size != self._unheard:
            self._unheard = size
            self._heard_s = now_s
        return now_s - self._heard_s

    def end(self, *, at_once: bool) -> None:
        """The server stops: an answer on its way is let out, an idle connection is closed."""
        if at_once:
            self.transport.abort()
        elif self._exchange is None:
            self.transport.close()

    def part(self) -> None:
        """Nobody listens any more: an idle peer is told so, and a request that it sent before it heard of it is read,
        since a connection closed on unread bytes is reset and its call would be in no history."""
        if self._exchange is None and not self.transport.is_closing() and not isinstance(self.transport, Halved):
            self.transport = cast(asyncio.Transport, Halved(self.transport))

    def end_parted(self) -> None:
        """Somebody listens again: what peers have to say they say on another connection."""
        if isinstance(self.transport, Halved):
            self.transport.close()
