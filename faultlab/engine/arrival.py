"""What reaches a caller of a delivery, and when, by its patience."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from faultlab.core.actions import (
    PIECES,
    Broken,
    Cancelled,
    Delivery,
    Died,
    Dribble,
    Mangled,
    Reply,
    Silence,
    Slow,
)
from faultlab.core.canonical import canonical
from faultlab.core.clock import ns

SILENCE_NS = ns(3600)
"""How long a silent server holds a connection before it closes it."""

ERRORS: Mapping[str, str] = {
    "refused": "ConnectError",
    "connect_timeout": "ConnectTimeout",
    "reset": "ReadError",
    "close": "RemoteProtocolError",
    "truncated": "RemoteProtocolError",
}
"""How a connection ends -> the exception that httpx raises for it."""

CRASH = "Crash"
"""What is raised where the caller's process dies."""

CANCELLED = "CancelledError"
"""What is recorded where the caller itself gave up."""

CONNECTING = frozenset({"refused", "connect_timeout"})
"""The ends of a connection that never came about. A caller's connect timeout holds for them."""


class Arrival(NamedTuple):
    """What reaches the caller, and when: a status (perhaps without a whole body) or an exception by name."""

    t: int
    status: int | None = None
    body: Any = None
    headers: Mapping[str, str] = {}
    error: str | None = None
    raw: str | None = None
    """The text of a body that does not decode."""


class Patience(NamedTuple):
    """A call, as far as its caller's waiting is concerned. All in nanoseconds."""

    sent_ns: int
    at_ns: int
    """When the first byte of an answer can be there."""
    wait_ns: int | None
    """None: for ever."""
    connect_ns: int
    """How long a caller waits for a connection that never comes about."""

    def held_to(self, arrival: Arrival, error: str = "ReadTimeout") -> Arrival:
        """The arrival, or a timeout where it comes after the caller's patience has ended. In time is in time."""
        if self.wait_ns is None or arrival.t <= self.sent_ns + self.wait_ns:
            return arrival
        return Arrival(self.sent_ns + self.wait_ns, error=error)


def arrival_of(delivery: Delivery, patience: Patience) -> Arrival | None:
    """None: nothing ever comes, and the caller waits for ever."""
    at_ns = patience.at_ns
    match delivery:
        case Reply(status, body, headers):
            return patience.held_to(Arrival(at_ns, status, body, headers))
        case Silence():
            if patience.wait_ns is None:
                return None
            return patience.held_to(Arrival(patience.sent_ns + SILENCE_NS, error="RemoteProtocolError"))
        case Mangled(_, reply):
            return patience.held_to(Arrival(at_ns, reply.status, None, reply.headers, None, mangled(delivery)))
        case Slow(reply, wait_ns):
            return patience.held_to(Arrival(at_ns + wait_ns, *reply))
        case Dribble(reply, gap_ns):
            first = patience.held_to(Arrival(at_ns, *reply))
            if first.error is not None:
                return first
            if patience.wait_ns is not None and gap_ns > patience.wait_ns:
                return Arrival(at_ns + patience.wait_ns, error="ReadTimeout")
            return first._replace(t=at_ns + (PIECES - 1) * gap_ns)
        case Died():
            return Arrival(at_ns, error=CRASH)
        case Cancelled(after_ns):
            return patience.held_to(Arrival(patience.sent_ns + after_ns, error=CANCELLED))
        case Broken("connect_timeout"):
            return Arrival(patience.sent_ns + patience.connect_ns, error=ERRORS["connect_timeout"])
        case Broken(how, reply):
            seen = reply.status if reply is not None else None
            late = ERRORS["connect_timeout"] if how in CONNECTING else "ReadTimeout"
            return patience.held_to(Arrival(at_ns, seen, error=ERRORS[how]), late)


def encoded(reply: Reply) -> str:
    """A reply's body as it stands on the wire."""
    return canonical(reply.body)


def mangled(delivery: Mangled) -> str:
    """The text that arrives instead: each letter turned into one that JSON cannot hold, or the first half."""
    text = encoded(delivery.reply)
    return text[: len(text) // 2] if delivery.how == "short" else "\x15" * len(text)
