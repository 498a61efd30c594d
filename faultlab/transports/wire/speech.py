"""How a session is spoken to: what a request asks of it, how the call begins, what its answer is in bytes."""

from typing import NamedTuple, Protocol

from faultlab.core.actions import Reply
from faultlab.engine.engine import Ticket
from faultlab.engine.session import Session
from faultlab.transports.begin import begun
from faultlab.transports.codec import Asked, Encoded, decode
from faultlab.transports.http_library import encoded
from faultlab.transports.keys import RawHeaders
from faultlab.transports.wire.xml_errors import as_xml, wants_xml


class Request(NamedTuple):
    """A request that was read whole."""

    method: str
    target: bytes
    """Path and query, below the session's own part of the URL."""
    headers: RawHeaders
    body: bytes
    keep_alive: bool


class Speech(Protocol):
    """What a server speaks. All of it runs behind the gate."""

    def read(self, session: Session, request: Request) -> Asked | Reply:
        """The call that a request asks for, or the refusal of one that asks for none."""

    def begin(self, session: Session, request: Request, asked: Asked) -> Ticket:
        """The call under way. Raises AttemptOver and Crash."""

    def left(self, session: Session, request: Request) -> None:
        """The caller has gone while its call was beginning."""

    def encode(self, session: Session, request: Request, reply: Reply) -> Encoded | None:
        """An answer in bytes; None: the connection ends without one."""


class Tools:
    """The tools of a toolset, executed by the engine."""

    def read(self, session: Session, request: Request) -> Asked | Reply:
        method, target, headers, body, _ = request
        return decode(method, target, headers, body, session.engine.toolset, session.brief.contract)

    def begin(self, session: Session, request: Request, asked: Asked) -> Ticket:
        return begun(session, asked)

    def left(self, session: Session, request: Request) -> None:
        """The engine begins a call in one step: nobody can leave meanwhile."""

    def encode(self, session: Session, request: Request, reply: Reply) -> Encoded | None:
        if reply.status >= 400 and wants_xml(request.headers, reply):
            return as_xml(reply)
        return encoded(session, reply)
