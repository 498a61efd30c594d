"""How a lost receipt looks to the caller: the same for every phase, so twins cannot be told apart."""

from collections.abc import Mapping
from typing import Literal

from faultlab.core.actions import Broken, Cancelled, Delivery, Died, Dribble, Mangled, Reply, Silence, Slow
from faultlab.core.clock import ns
from faultlab.core.contract import Contract
from faultlab.core.titles import TITLES
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
    return Reply(
        GATEWAY_STATUS,
        {"type": "about:blank", "title": TITLES[GATEWAY_STATUS], "status": GATEWAY_STATUS, "detail": detail},
    )


def truncated(reply: Reply) -> Delivery:
    """The status line and half of the body; a status line is not a receipt."""
    return Broken("truncated", reply)


def garbled(reply: Reply) -> Delivery:
    """A whole body of which every byte is wrong."""
    return Mangled("garbled", reply)


def short(reply: Reply) -> Delivery:
    """A well-framed body that ends in the middle of the JSON."""
    return Mangled("short", reply)


CANCEL_S = 1.0
SLOW_S = 3.0
GAP_S = 0.5


def cancelled(reply: Reply) -> Delivery:
    """The caller's own cancellation, 1 s after it sent the call. Only a tool called as a function can show it."""
    return Cancelled(ns(CANCEL_S))


def slow(reply: Reply) -> Delivery:
    """The whole answer, 3 s later than usual; a caller with less patience has a timeout."""
    return Slow(reply, ns(SLOW_S))


def dribble(reply: Reply) -> Delivery:
    """The whole answer in 8 pieces, 0.5 s apart: a read timeout above that never fires."""
    return Dribble(reply, ns(GAP_S))


def crash_kept(reply: Reply) -> Delivery:
    """The caller's process dies after it sent the call; its durable store is there when it is started again."""
    return Died("after_dispatch", "kept")


def crash_lost(reply: Reply) -> Delivery:
    """The caller's process dies after it sent the call, and its durable store is lost."""
    return Died("after_dispatch", "lost")


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
    "cancelled": cancelled,
}
"""The symptoms that leave the caller without a receipt."""

Losing = Literal["timeout", "reset", "close", "status", "truncated", "garbled", "short", "cancelled"]
"""The same, as the type of a fault's parameter."""

GATEWAY_STATUS = 503
"""Of `status`."""


def denies(symptom: str | None, contract: Contract) -> str | None:
    """The promise that is broken where a call shows this symptom and has, or comes to have, an effect."""
    broken = symptom == "status" and GATEWAY_STATUS in contract.rejects_before_effect
    return f"{GATEWAY_STATUS} is answered before anything is done" if broken else None


DELIVERING: Mapping[str, Symptom] = {"slow": slow, "dribble": dribble}
"""The symptoms that bring the receipt, late but whole: no twins, for patience would tell them apart."""

CRASHING: Mapping[str, Symptom] = {"crash_kept": crash_kept, "crash_lost": crash_lost}
"""The symptoms of a caller that is no more."""

FUNCTION_ONLY = frozenset({"cancelled"})
"""Only a tool called as a function shows these; a transport of an HTTP client cannot, and says so."""

CONNECTING: Mapping[str, Symptom] = {"timeout": connect_timeout, "reset": refused}
"""The two symptoms that a connection which never came about can have."""
