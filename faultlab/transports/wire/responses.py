"""Replies as the bytes of HTTP/1.1 responses (RFC 9112)."""

from functools import lru_cache
from http import HTTPStatus

from faultlab.core.actions import Reply
from faultlab.core.clock import http_date, wall_time
from faultlab.core.titles import TITLES
from faultlab.transports.codec import Encoded, FewHeaders, encode, framing

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


def reason(status: int) -> str:
    """The registered reason phrase; empty for a status that has none."""
    if status in TITLES:
        return TITLES[status]
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


@lru_cache(maxsize=256)
def status_line(status: int) -> bytes:
    """The first line of a response."""
    return f"HTTP/1.1 {status} {reason(status)}\r\n".encode()


@lru_cache(maxsize=1024)
def _start(status: int, headers: FewHeaders) -> tuple[bytes, bool]:
    """Status line and header fields, and whether a Date is among them."""
    lines = b"".join([name + b": " + value + b"\r\n" for name, value in headers])
    return status_line(status) + lines, any(name.lower() == b"date" for name, _ in headers)


@lru_cache(maxsize=1)
def _dated(second: int) -> bytes:
    return b"date: " + http_date() + b"\r\n"


def head(status: int, headers: FewHeaders, *, close: bool) -> bytes:
    """Status line and header section. Date is what RFC 9110 section 6.6.1 demands of a server with a clock."""
    start, dated = _start(status, headers)
    last = b"connection: close\r\n\r\n" if close else b"\r\n"
    return start + last if dated else start + _dated(int(wall_time())) + last


def whole(encoded: Encoded, *, close: bool, bodyless: bool) -> bytes:
    """A response in one piece; `bodyless`: it answers a HEAD."""
    start = head(encoded.status, encoded.headers, close=close)
    return start if bodyless else start + encoded.body


def text_of(reply: Reply, body: bytes) -> Encoded:
    """The reply with another body, well framed: what a garbled or shortened answer looks like."""
    told = encode(reply)
    kind = told.headers[0][1]
    return Encoded(told.status, (*framing(kind, len(body)), *told.headers[2:]), body)
