"""The idempotency key as a state table: what a server does with a key it finds in a given state.

Sources: draft-ietf-httpapi-idempotency-key-header-07 section 2.6; docs.stripe.com/api/idempotent_requests; OASIS
Repeatable Requests 1.0 section 5 (a key outside its window); Powertools for AWS Lambda, Idempotency (a lease).
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from faultlab.core.canonical import canonical
from faultlab.core.clock import ns
from faultlab.core.contract import KeyRules
from faultlab.core.records import Call


class KeyState(StrEnum):
    """What the server knows of a key."""

    ABSENT = "absent"
    IN_FLIGHT = "in_flight"
    OVERDUE = "overdue"
    """In flight for longer than the lease."""
    DONE = "done"
    EXPIRED = "expired"


class Action(StrEnum):
    """What it does with the call."""

    EXECUTE = "execute"
    REPLAY = "replay"
    BUSY = "busy"
    MISMATCH = "mismatch"
    REJECT = "reject"


Request = tuple[Any, ...]
"""What is compared under a key (`request_of`)."""


class KeyRecord(NamedTuple):
    """A key's row in the world: written with the effect, in one step."""

    request: Request
    first_ns: int
    """When its window began; while the first request runs: when that was received."""
    reply: Any = None
    """The answer to replay; None while the first request runs."""
    row: tuple[str, str] | None = None
    """Table and id of what was made, where a replay or the window depends on it."""


TABLE: Mapping[tuple[KeyState, bool], Action] = {
    # (state, same parameters): action. EXPIRED is the only state whose action a contract may choose.
    (KeyState.ABSENT, True): Action.EXECUTE,
    (KeyState.ABSENT, False): Action.EXECUTE,
    (KeyState.IN_FLIGHT, True): Action.BUSY,
    (KeyState.IN_FLIGHT, False): Action.MISMATCH,
    (KeyState.OVERDUE, True): Action.EXECUTE,
    (KeyState.OVERDUE, False): Action.EXECUTE,
    (KeyState.DONE, True): Action.REPLAY,
    (KeyState.DONE, False): Action.MISMATCH,
    (KeyState.EXPIRED, True): Action.EXECUTE,
    (KeyState.EXPIRED, False): Action.EXECUTE,
}


def request_of(rules: KeyRules, call: Call) -> Request:
    """The part of a call that a known key must repeat. Headers other than If-Match are never compared."""
    if rules.compares == "all":
        return call.tool, call.args, call.if_match
    if rules.compares == "none":
        return ()
    return call.tool, *[call.args.get(name) for name in rules.compares]


def place_of(rules: KeyRules, call: Call) -> str:
    """The row of a call's key: the same key in another scope is another row."""
    assert call.key is not None
    if rules.scope == "account":
        return call.key
    within = call.tool if rules.scope == "tool" else call.scope or ""
    return f"{within}\n{call.key}"


def state_of(rules: KeyRules, record: KeyRecord | None, now_ns: int, sent_ns: int | None = None) -> KeyState:
    """`sent_ns`: what the client states as first sent, where the contract has it count.

    A record exactly as old as the window is expired: "inside" is strictly before its end.
    """
    stated = sent_ns is not None and rules.window_s is not None and rules.window_from == "first_sent"
    if stated and now_ns >= sent_ns + ns(rules.window_s):  # type: ignore[operator, arg-type]  # `stated` excludes None
        return KeyState.EXPIRED
    if record is None:
        return KeyState.ABSENT
    if record.reply is None:
        if rules.lease_s is not None and now_ns >= record.first_ns + ns(rules.lease_s):
            return KeyState.OVERDUE
        return KeyState.IN_FLIGHT
    if rules.window_s is not None and now_ns >= record.first_ns + ns(rules.window_s):
        return KeyState.EXPIRED
    return KeyState.DONE


def decide(
    rules: KeyRules, record: KeyRecord | None, request: Request, now_ns: int, sent_ns: int | None = None
) -> Action:
    """The table, read for one call. Requests are compared only where a key is known: most keys are new."""
    state = state_of(rules, record, now_ns, sent_ns)
    if state is KeyState.EXPIRED and rules.on_expired == "reject":
        return Action.REJECT
    return TABLE[state, record is None or canonical(record.request) == canonical(request)]
