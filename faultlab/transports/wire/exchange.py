"""One request on its way through the lab: from its bytes to those of the answer, or to the way in which none comes."""

import asyncio
import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol, runtime_checkable

from faultlab.core.actions import PIECES, Broken, Cancelled, Delivery, Died, Dribble, Mangled, Reply, Silence, Slow
from faultlab.core.agent import Crash
from faultlab.core.errors import AttemptOver, CannotPerform
from faultlab.engine.arrival import SILENCE_NS, Arrival, mangled
from faultlab.engine.engine import Ticket
from faultlab.engine.errors import problem
from faultlab.engine.listening import silent_at
from faultlab.engine.session import Session
from faultlab.transports.wire.gate import Gate
from faultlab.transports.wire.halved import Halved
from faultlab.transports.wire.responses import head, text_of, whole
from faultlab.transports.wire.speech import Request, Speech

RST = struct.pack("ii", 1, 0)
"""SO_LINGER with zero seconds: closing sends a reset instead of a FIN."""


@runtime_checkable
class RealTime(Protocol):
    """A clock that a socket can wait by."""

    def real_s(self, wait_ns: int) -> float:
        """Real seconds in which `wait_ns` pass on this clock."""


class Peer(Protocol):
    """The connection that a request came on."""

    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    gate: Gate
    speech: Speech

    def answered(self, keep: bool) -> None:
        """Called once: the connection may go on, or (not `keep`) is at its end."""


class Exchange:
    """Answers one request."""

    __slots__ = ("_gone", "_peer", "_reply", "_request", "_session", "_ticket", "_timer")

    def __init__(self, session: Session, request: Request, peer: Peer) -> None:
        self._session = session
        self._request = request
        self._peer = peer
        self._reply: Reply | None = None
        self._ticket: Ticket | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._gone = False

    def work(self) -> None:
        """The call as the server sees it. What is no tool call is refused; an immediate answer is written down.

        Done behind the gate; `release` is called when its effect cannot be lost.
        """
        session, request, speech = self._session, self._request, self._peer.speech
        asked = speech.read(session, request)
        if isinstance(asked, Reply):
            self._reply = asked
            return
        try:
            self._ticket = ticket = speech.begin(session, request, asked)
        except AttemptOver as over:
            self._reply = problem(403, "attempt_over", f"This attempt is over: {over}.")
            return
        except Crash:
            self._reply = problem(403, "caller_died", "The caller's process has died, as planned.")
            return
        delivery = ticket.delivery
        if type(delivery) is Reply and ticket.closed_ns is None:
            self._reply = delivery
            status, body, headers = delivery
            session.finish(ticket, Arrival(session.clock.now(), status, body, headers))

    def release(self) -> None:
        """The caller may hear of it now."""
        if self._peer.transport.is_closing():
            self.gone()
            self._peer.answered(False)
        elif self._reply is not None:
            self._write(self._reply)
        elif self._gone:
            self.gone()
            self._hang_up()
        elif self._ticket is not None:
            self._go_on()
        else:
            self._hang_up()

    def gone(self) -> bool:
        """The peer sends no more before it had an answer: to itself that is a read timeout, unless its answer is
        written down already or its call has not begun. Whether an answer may still come."""
        if self._timer is not None:
            self._timer.cancel()
        ticket, session = self._ticket, self._session
        waits = ticket is not None and ticket.closed_ns is None
        if ticket is None:
            if self._reply is None and not self._gone:
                self._enter(lambda: self._peer.speech.left(session, self._request), _nothing)
        elif waits:
            self._enter(lambda: self._abandon(ticket), _nothing)
        self._gone = True
        return not waits

    def _abandon(self, ticket: Ticket) -> None:
        if ticket.closed_ns is None:
            self._session.abandon(ticket, "ReadTimeout")

    def _enter(self, work: Callable[[], None], then: Callable[[], None]) -> None:
        self._peer.gate.enter(self._session, work, then)

    def _later(self, at_ns: int, then: Callable[[], None]) -> None:
        clock = self._session.clock
        assert isinstance(clock, RealTime)
        self._timer = self._peer.loop.call_later(clock.real_s(at_ns - clock.now()), then)

    def _go_on(self) -> None:
        """Deliver what the engine has for the caller, or look again when its next script is due."""
        self._enter(self._catch_up, self._look)

    def _catch_up(self) -> None:
        self._session.engine.catch_up(self._session.clock.now())

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
                self._session.finish(ticket, arrival._replace(t=self._session.clock.now()))

        self._enter(work, then)

    def _deliver(self, ticket: Ticket, delivery: Delivery) -> None:
        now_ns = self._session.clock.now()
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
            self._send(whole(text_of(reply, text.encode()), close=not keep, bodyless=self._bodyless))
            self._peer.answered(keep)

        self._close(ticket, Arrival(0, reply.status, None, reply.headers, None, text), send)

    def _dribble(self, ticket: Ticket, reply: Reply, gap_ns: int) -> None:
        """Head and body in pieces (of a HEAD's answer, the head); the caller's receipt is there with the last one."""
        keep = self._request.keep_alive
        told = self._peer.speech.encode(self._session, self._request, reply)
        if told is None:
            self._answer(ticket, reply)
            return
        data = whole(told, close=not keep, bodyless=self._bodyless)
        size = -(-len(data) // PIECES)
        pieces = [data[start : start + size] for start in range(0, len(data), size)]

        def send(number: int) -> None:
            if number + 1 < len(pieces):
                self._send(pieces[number])
                self._later(self._session.clock.now() + gap_ns, lambda: send(number + 1))
                return
            self._close(ticket, Arrival(0, reply.status, reply.body, reply.headers), end)

        def end() -> None:
            self._send(pieces[-1])
            self._peer.answered(keep)

        send(0)

    def _break(self, ticket: Ticket, broken: Broken) -> None:
        """The request was read whole, so that the peer never gets a reset for bytes that nobody read."""
        if broken.how == "reset":
            self._close(ticket, Arrival(0, error="ReadError"), self._reset)
        elif broken.how == "close" or isinstance(self._peer.transport, Halved):
            self._close(ticket, Arrival(0, error="RemoteProtocolError"), self._hang_up)
        elif broken.how == "truncated":
            assert broken.reply is not None
            told = self._peer.speech.encode(self._session, self._request, broken.reply)
            assert told is not None
            half = head(told.status, told.headers, close=False)
            half = half[: len(half) // 2] if self._bodyless else half + told.body[: len(told.body) // 2]
            arrival = Arrival(0, told.status, error="RemoteProtocolError")
            self._close(ticket, arrival, lambda: self._hang_up(half))
        elif silent_at(self._session.engine, ticket.sent_ns) is not None:
            self._close(ticket, Arrival(0, error="ReadError"), self._reset)  # it was on its way as the port was closed
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
                self._session.finish(ticket, Arrival(self._session.clock.now(), error="Crash"))

        self._enter(work, self._reset)

    def _hang_up(self, last: bytes = b"") -> None:
        if last:
            self._send(last)
        self._peer.transport.close()
        self._peer.answered(False)

    @property
    def _bodyless(self) -> bool:
        """Whether the answer has no content, whatever its fields say: one to HEAD (RFC 9110 section 9.3.2)."""
        return self._request.method == "HEAD"

    def _reset(self) -> None:
        if not self._peer.transport.is_closing():
            self._peer.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RST)
            self._peer.transport.abort()
        self._peer.answered(False)

    def _send(self, data: bytes) -> None:
        self._peer.transport.write(data)

    def _write(self, reply: Reply) -> None:
        told = self._peer.speech.encode(self._session, self._request, reply)
        if told is None:
            self._hang_up()
            return
        request = self._request
        keep = request.keep_alive
        self._peer.transport.write(whole(told, close=not keep, bodyless=request.method == "HEAD"))
        self._peer.answered(keep)


def _nothing() -> None: ...
