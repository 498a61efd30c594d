"""What a peer may take: the limits of the data port."""

from typing import NamedTuple


class Limits(NamedTuple):
    """Beyond any of them the peer is answered or cut off, and nobody else notices."""

    body_bytes: int = 1 << 20
    """A larger request body is answered 413 (RFC 9110 section 15.5.14)."""
    header_bytes: int = 32 << 10
    """Request line and header fields together; more is answered 431 (RFC 6585 section 5)."""
    connections: int = 4096
    """Open at a time; one more is answered 503 and closed."""
    request_s: float = 15.0
    """From the first byte of a request to its last; a slower one is answered 408 (RFC 9110 section 15.5.9)."""
    idle_s: float = 75.0
    """A connection without a request is closed after it."""
    pipelined: int = 64
    """Requests that may wait on one connection for the answer to an earlier one."""
