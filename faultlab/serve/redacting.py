"""Secrets in what a caller sends, redacted before a durable session sees them: so they are nowhere to be stored.

A session is rebuilt from its stored calls, so they must be the calls that it has served. Decoded values are redacted,
and not bytes: however a secret was escaped, it is the same text.
"""

import json
from typing import Any

from faultlab.core.actions import Reply
from faultlab.core.canonical import digest
from faultlab.engine.session import Session
from faultlab.records.scrub import REDACTED, scrub, secret_name
from faultlab.transports.codec import Asked
from faultlab.transports.parsing import parse_whole
from faultlab.transports.wire.speech import Request, Tools


def without_secrets(session: Session, value: Any) -> Any:
    """JSON without secrets, by their own shape or by the name that they have.

    A scenario that declares secrets has made them up, to see whether a caller gives them away: there they stay.
    """
    return value if session.brief.expectation.secrets else _cleaned(value, "")


def _cleaned(value: Any, name: str) -> Any:
    kind = type(value)
    if kind is dict:
        return {_hidden(member): _cleaned(item, member) for member, item in value.items()}
    if kind is list:  # of the values of one name, or a pair of a name and its value
        before = ["", *[item if type(item) is str else "" for item in value]]
        secret = secret_name(name)
        return [_cleaned(item, name if secret else said) for said, item in zip(before, value, strict=False)]
    if kind is str:
        return REDACTED if secret_name(name) else _hidden(value)
    return REDACTED if kind in (int, float) and secret_name(name) else value


def _hidden(text: str) -> str:
    """Two keys that look like secrets stay two: what is nothing but a secret keeps a digest of it."""
    clean = scrub(text)
    return f"{REDACTED}-{digest(text)}" if clean == REDACTED != text else clean


def redacted(session: Session, request: Request) -> Request:
    """A request beside the tools, whose body is JSON, without secrets."""
    try:
        value = parse_whole(request.body)
    except ValueError:
        return request  # it is refused
    clean = without_secrets(session, value)
    return request if clean == value else request._replace(body=json.dumps(clean).encode())


class Redacting(Tools):
    """The tools of durable sessions. Of header fields no more is kept than what `Asked` holds."""

    def read(self, session: Session, request: Request) -> Asked | Reply:
        asked = super().read(session, request)
        if isinstance(asked, Reply):
            return asked  # a refusal is no event
        return Asked(**without_secrets(session, asked._asdict()))
