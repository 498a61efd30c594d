"""Which session a request belongs to."""

from typing import Protocol

from faultlab.core.actions import Reply
from faultlab.engine.session import Session
from faultlab.transports.keys import RawHeaders
from faultlab.transports.wire.speech import Request


class Door(Protocol):
    """Who knows which session a URL belongs to."""

    def find(self, target: bytes, headers: RawHeaders) -> tuple[Session, bytes] | Reply:
        """The session and the target below its own part of the URL, or the refusal of a URL that has none."""

    def beside(self, request: Request) -> bool:
        """Whether a request is about the attempt and not a tool call: its task, its claim."""

    def aside(self, session: Session, request: Request) -> Reply:
        """The answer to such a request."""
