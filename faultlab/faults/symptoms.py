"""How a lost receipt looks to the caller: the same for every phase, so twins cannot be told apart."""

from collections.abc import Mapping

from faultlab.core.actions import Broken, Delivery, Mangled, Reply, Silence
from faultlab.faults.fault import Symptom


def timeout(reply: Reply) -> Delivery:
    """Nothing comes until the caller's patience ends."""
    return Silence()


def reset(reply: Reply) -> Delivery:
    """RST: the connection breaks without a byte of answer."""
    return Broken("reset")


def close(reply: Reply) -> Delivery:
    """FIN: the connection is closed without a byte of answer."""
    return Broken("close")


def status(reply: Reply) -> Delivery:
    """A gateway's complete 503, which knows nothing of the request's fate (RFC 9110 section 15.6.4)."""
    detail = "The upstream server gave no answer."
    return Reply(503, {"type": "about:blank", "title": "Service Unavailable", "status": 503, "detail": detail})


def truncated(reply: Reply) -> Delivery:
    """The status line and half of the body; a status line is not a receipt."""
    return Broken("truncated", reply)


def garbled(reply: Reply) -> Delivery:
    """A whole body of which every byte is wrong."""
    return Mangled("garbled", reply)


def short(reply: Reply) -> Delivery:
    """A well-framed body that ends in the middle of the JSON."""
    return Mangled("short", reply)


def refused(reply: Reply) -> Delivery:
    """Nobody listens."""
    return Broken("refused")


def connect_timeout(reply: Reply) -> Delivery:
    """The connection is never accepted."""
    return Broken("connect_timeout")


LOSING: Mapping[str, Symptom] = {
    "timeout": timeout,
    "reset": reset,
    "close": close,
    "status": status,
    "truncated": truncated,
    "garbled": garbled,
    "short": short,
}
"""The symptoms that leave the caller without a receipt."""

CONNECTING: Mapping[str, Symptom] = {"timeout": connect_timeout, "reset": refused}
"""The two symptoms that a connection which never came about can have."""
