"""Whoever comes to the data port with a URL that leads to no open session."""

from faultlab.core.actions import Reply
from faultlab.engine.errors import problem

NAME_LENGTH = 22


def session_ended() -> Reply:
    return problem(410, "session_ended", "This session has ended; open another one.")


def no_such_session() -> Reply:
    """The same answer for every id that is none: whether it once was one is nobody's business."""
    detail = "No session has this URL. Open one on the admin port: POST /sessions gives its URL."
    return problem(404, "no_such_session", detail)


def misdirected() -> Reply:
    """RFC 9110 section 15.5.20."""
    return problem(421, "misdirected", "This session has a port of its own; its URL names it.")


def is_name(name: bytes) -> bool:
    """Of the form of an id: nothing else is looked up in the store."""
    return len(name) == NAME_LENGTH and name.replace(b"-", b"").replace(b"_", b"").isalnum()
