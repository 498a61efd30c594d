"""Multipart bodies (RFC 2046 section 5.1.1): when two of them hold the same parts."""

import re
from email.message import Message

FIXED = b"--<boundary>"
"""No delimiter of a real body looks like this: < is no letter of boundaries."""


def steady(content_type: str, body: bytes) -> bytes:
    """The body of a multipart request with a boundary that is always the same, since clients draw a new one for each
    request; any other body as it is. For comparing only, never for sending."""
    boundary = _boundary(content_type)
    if not boundary or not boundary.isascii():
        return body
    delimiter = rb"(?:\A|(?<=\n))--" + re.escape(boundary.encode()) + rb"(?=(?:--)?[ \t]*(?:\r?\n|\Z))"
    return re.sub(delimiter, FIXED, body)


def _boundary(content_type: str) -> str | None:
    if not content_type.lstrip().lower().startswith("multipart/"):
        return None
    headers = Message()
    headers["content-type"] = content_type
    return headers.get_boundary()
