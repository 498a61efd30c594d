"""Secrets in what a caller sends, redacted before a durable session sees them: so they are nowhere to be stored.

A session is rebuilt from its stored calls, so they must be the calls that it has served.
"""

from faultlab.core.actions import Reply
from faultlab.engine.session import Session
from faultlab.records.scrub import scrub, suspicious
from faultlab.transports.codec import Asked
from faultlab.transports.wire.speech import Request, Tools


def redacted(session: Session, request: Request) -> Request:
    """The request without secrets in its body and query. Header fields other than a key's are never kept.

    A scenario that declares secrets has made them up, to see whether a caller gives them away: there they stay.
    """
    if session.brief.expectation.secrets:
        return request
    target, body = without_secrets(request.target), without_secrets(request.body)
    return request if (target, body) == (request.target, request.body) else request._replace(target=target, body=body)


def without_secrets(data: bytes) -> bytes:
    """A text, JSON or form, with each secret replaced; JSON stays JSON."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return data  # the codec refuses it
    return scrub(text).encode() if suspicious(text) else data


class Redacting(Tools):
    """The tools of durable sessions."""

    def read(self, session: Session, request: Request) -> Asked | Reply:
        return super().read(session, redacted(session, request))
