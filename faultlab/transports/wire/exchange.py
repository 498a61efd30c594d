"""One request on its way through the lab: from its bytes to those of the answer, or to the way in which none comes."""

import asyncio
import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from faultlab.core.actions import PIECES, Broken, Cancelled, Delivery, Died, Dribble, Mangled, Reply, Silence, Slow
from faultlab.core.agent import Crash
from faultlab.core.clock import RealClock
from faultlab.core.errors import AttemptOver, CannotPerform
from faultlab.engine.arrival import SILENCE_NS, Arrival, mangled
from faultlab.engine.engine import Ticket
from faultlab.engine.errors import problem
from faultlab.engine.session import Session
from faultlab.transports.begin import begun
from faultlab.transports.codec import decode
from faultlab.transports.http_library import encoded
from faultlab.transports.keys import RawHeaders
from faultlab.transports.wire.gate import Gate
from faultlab.transports.wire.responses import head, text_of, whole

RST = struct.pack("ii", 1, 0)
"""SO_LINGER with zero seconds: closing sends a reset instead of a FIN."""


class Request(NamedTuple):
    """A request that was read whole."""

    method: str
    target: bytes
    """Path and query, below the session's own part of the URL."""
    headers: RawHeaders
    body: bytes
    keep_alive: bool


class Exchange:
    """Answers one request. `done(keep)` is called once, when the connection may go on (or is at its end)."""

    __slots__ = (
        "_clock",
        "_done",
        "_gate",
        "_loop",
        "_reply",
        "_request",
        "_session",
        "_ticket",
        "_timer",
        "_transport",
    )

    def __init__(
        self,
        session: Session,
        request: Request,
        transport: asyncio.Transport,
        loop: asyncio.AbstractEventLoop,
        gate: Gate,
        done: Callable[[bool], None],
    ) -> None:
        assert isinstance(session.clock, RealClock)
        self._session = session
        self._clock = session.clock
        self._request = request
        self._transport = transport
        self._loop = loop
        self._gate = gate
        self._done = done
        self._reply: Reply | None = None
        self._ticket: Ticket | None = None
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Hand the call to the engine through the gate; the answer waits behind it."""
        self._gate.enter(self._session, self._work, self._release)

    def _work(self) -> None:
        """The call as the server sees it. What is no tool call is refused; an immediate answer is written down."""
        method, target, headers, body, _ = self._request
        session = self._session
        asked = decode(method, target, headers, body, session.engine.toolset, session.brief.contract)
        if isinstance(asked, Reply):
            self._reply = asked
            return
        try:
            self._ticket = ticket = begun(session, asked)
        except AttemptOver as over:
            self._reply = problem(403, "attempt_over", f"This attempt is over: {over}.")
            return
        except Crash:
            self._reply = problem(403, "caller_died", "The caller's process has died, as planned.")
            return
        if type(delivery := ticket.delivery) is Reply:
            self._reply = delivery
            session.finish(ticket, Arrival(self._clock.now(), delivery.status, delivery.body, delivery.headers))

    def _release(self) -> None:
        """The caller may hear of it now."""
        if self._transport.is_closing():
            self.gone()
        elif self._reply is not None:
            self._write(self._reply)
        else:
            self._go_on()

    def gone(self) -> None:
        """The peer has closed the connection before it had an answer: to itself that is a read timeout."""
        if self._timer is not None:
            self._timer.cancel()
        ticket, session = self._ticket, self._session
        if ticket is not None and ticket.closed_ns is None:
            self._gate.enter(session, lambda: self._abandon(ticket), _nothing)

    def _abandon(self, ticket: Ticket) -> None:
        if ticket.closed_ns is None:
            self._session.abandon(ticket, "ReadTimeout")

    def _later(self, at_ns: int, then: Callable[[], None]) -> None:
        self._timer = self._loop.call_later(self._clock.real_s(at_ns - self._clock.now()), then)

    def _go_on(self) -> None:
        """Deliver what the engine has for the caller, or look again when its next script is due."""
        self._gate.enter(self._session, self._catch_up, self._look)

    def _catch_up(self) -> None:
        self._session.engine.catch_up(self._clock.now())

    def _look(self) -> None:
        ticket = self._ticket
        assert ticket is not None
        if ticket.delivery is not None:
            self._deliver(ticket, ticket.delivery)
        elif (due_ns := self._session.engine.next_due()) is not None:
            self._later(due_ns, self._go_on)
        else:
            self._deliver(ticket, Silence())

    def _close(self, ticket: Ticket, arrival: Arrival, then: Callable[[], None]) -> None:
        """Write down what the caller hears now; then let it hear it."""

        def work() -> None:
            if ticket.closed_ns is None:
                self._session.finish(ticket, arrival._replace(t=self._clock.now()))

        self._gate.enter(self._session, work, then)

    def _deliver(self, ticket: Ticket, delivery: Delivery) -> None:
        now_ns = self._clock.now()
        match delivery:
            case Reply():
                self._answer(ticket, delivery)
            case Silence():
                self._later(ticket.sent_ns + SILENCE_NS, lambda: self._break(ticket, Broken("close")))
            case Slow(reply, wait_ns):
                self._later(now_ns + wait_ns, lambda: self._answer(ticket, reply))
            case Dribble(reply, gap_ns):
                self._dribble(ticket, reply, gap_ns)
            case Mangled(_, reply):
                self._mangle(ticket, delivery, reply)
            case Broken():
                self._break(ticket, delivery)
            case Died():
                self._die(ticket)
            case Cancelled():
                self._cannot(ticket, "the symptom 'cancelled' strikes a tool called as a function")

    def _answer(self, ticket: Ticket, reply: Reply) -> None:
        arrival = Arrival(0, reply.status, reply.body, reply.headers)
        self._close(ticket, arrival, lambda: self._write(reply))

    def _mangle(self, ticket: Ticket, delivery: Mangled, reply: Reply) -> None:
        text = mangled(delivery)
        keep = self._request.keep_alive

        def send() -> None:
            self._send(whole(text_of(reply, text.encode()), close=not keep, bodyless=False))
            self._done(keep)

        self._close(ticket, Arrival(0, reply.status, None, reply.headers, None, text), send)

    def _dribble(self, ticket: Ticket, reply: Reply, gap_ns: int) -> None:
        """Head and body in pieces; the caller's receipt is there with the last one."""
        keep = self._request.keep_alive
        data = whole(encoded(self._session, reply), close=not keep, bodyless=False)
        size = -(-len(data) // PIECES)
        pieces = [data[start : start + size] for start in range(0, len(data), size)]

        def send(number: int) -> None:
            if number + 1 < len(pieces):
                self._send(pieces[number])
                self._later(self._clock.now() + gap_ns, lambda: send(number + 1))
                return
            self._close(ticket, Arrival(0, reply.status, reply.body, reply.headers), end)

        def end() -> None:
            self._send(pieces[-1])
            self._done(keep)

        send(0)

    def _break(self, ticket: Ticket, broken: Broken) -> None:
        """The request was read whole, so that the peer never gets a reset for bytes that nobody read."""
        if broken.how == "reset":
            self._close(ticket, Arrival(0, error="ReadError"), self._reset)
        elif broken.how == "close":
            self._close(ticket, Arrival(0, error="RemoteProtocolError"), self._hang_up)
        elif broken.how == "truncated":
            assert broken.reply is not None
            told = encoded(self._session, broken.reply)
            half = head(told.status, told.headers, close=False) + told.body[: len(told.body) // 2]
            arrival = Arrival(0, told.status, error="RemoteProtocolError")
            self._close(ticket, arrival, lambda: self._hang_up(half))
        else:
            self._cannot(ticket, f"a connection that came about cannot show {broken.how!r} any more")

    def _cannot(self, ticket: Ticket, why: str) -> None:
        """A fault that a socket cannot perform: the attempt says nothing about its caller."""
        self._session.engine.server.broken = CannotPerform(f"{why}: take this fault from what is served")
        self._close(ticket, Arrival(0, error="RemoteProtocolError"), self._hang_up)

    def _die(self, ticket: Ticket) -> None:
        """The caller's process ends: whoever runs it looks at `session.crash`; its connection goes with it."""

        def work() -> None:
            with suppress(Crash):
                self._session.finish(ticket, Arrival(self._clock.now(), error="Crash"))

        self._gate.enter(self._session, work, self._reset)

    def _hang_up(self, last: bytes = b"") -> None:
        if last:
            self._send(last)
        self._transport.close()
        self._done(False)

    def _reset(self) -> None:
        if not self._transport.is_closing():
            self._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RST)
            self._transport.abort()
        self._done(False)

    def _send(self, data: bytes) -> None:
        self._transport.write(data)

    def _write(self, reply: Reply) -> None:
        keep = self._request.keep_alive
        self._send(whole(encoded(self._session, reply), close=not keep, bodyless=self._request.method == "HEAD"))
        self._done(keep)


def _nothing() -> None: ...
