"""The heads of requests that are not plain: what becomes of their fields and targets."""

import re

from faultlab.transports.keys import RawHeaders

ABSOLUTE = re.compile(rb"https?://[^/?#]*(.*)", re.IGNORECASE)


def origin_form(target: bytes) -> bytes:
    """A target as it is without scheme and authority (RFC 9112 section 3.2.2); any other one as it is."""
    if (absolute := ABSOLUTE.fullmatch(target)) is None:
        return target
    rest = absolute[1]
    return rest if rest.startswith(b"/") else b"/" + rest


def count(headers: RawHeaders, name: bytes, value: bytes | None = None) -> int:
    """How many fields have this name, and this value; case does not matter."""
    return sum(field.lower() == name and value in (None, told.lower()) for field, told in headers)


def stated_size(headers: RawHeaders) -> int:
    """The Content-Length, which the parser has looked at; 0: there is none."""
    return next((int(told) for field, told in headers if field.lower() == b"content-length"), 0)


def without_upgrade(method: bytes, target: bytes, version: str, headers: RawHeaders) -> bytes:
    """The head of a request as it would be if it did not ask for another protocol."""
    lines = [b"%s %s HTTP/%s" % (method, target, version.encode())]
    lines += [name + b": " + value for name, value in headers if name.lower() != b"upgrade"]
    return b"\r\n".join(lines) + b"\r\n\r\n"
