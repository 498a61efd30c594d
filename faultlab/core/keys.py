"""The idempotency key as a state table: what a server does with a key it finds in a given state.

Source: draft-ietf-httpapi-idempotency-key-header-07 section 2.6; docs.stripe.com/api/idempotent_requests.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from faultlab.core.canonical import canonical
from faultlab.core.clock import ns
from faultlab.core.contract import KeyRules


class KeyState(StrEnum):
    """What the server knows of a key."""

    ABSENT = "absent"
    IN_FLIGHT = "in_flight"
    DONE = "done"
    EXPIRED = "expired"


class Action(StrEnum):
    """What it does with the call."""

    EXECUTE = "execute"
    REPLAY = "replay"
    BUSY = "busy"
    MISMATCH = "mismatch"
    REJECT = "reject"


Request = tuple[str, Mapping[str, Any], str | None]
"""What is compared under a key: tool, arguments, If-Match."""


class KeyRecord(NamedTuple):
    """A key's row in the world: written with the effect, in one step."""

    request: Request
    first_ns: int
    reply: Any = None
    """The answer to replay; None while the first request runs."""


TABLE: Mapping[tuple[KeyState, bool], Action] = {
    # (state, same parameters): action. EXPIRED is the only state whose action a contract may choose.
    (KeyState.ABSENT, True): Action.EXECUTE,
    (KeyState.ABSENT, False): Action.EXECUTE,
    (KeyState.IN_FLIGHT, True): Action.BUSY,
    (KeyState.IN_FLIGHT, False): Action.MISMATCH,
    (KeyState.DONE, True): Action.REPLAY,
    (KeyState.DONE, False): Action.MISMATCH,
    (KeyState.EXPIRED, True): Action.EXECUTE,
    (KeyState.EXPIRED, False): Action.EXECUTE,
}


def state_of(rules: KeyRules, record: KeyRecord | None, now_ns: int) -> KeyState:
    """A record exactly as old as the window is expired: "inside" is strictly before its end."""
    if record is None:
        return KeyState.ABSENT
    if record.reply is None:
        return KeyState.IN_FLIGHT
    if rules.window_s is not None and now_ns >= record.first_ns + ns(rules.window_s):
        return KeyState.EXPIRED
    return KeyState.DONE


def decide(rules: KeyRules, record: KeyRecord | None, request: Request, now_ns: int) -> Action:
    """The table, read for one call. Requests are compared only where a key is known: most keys are new."""
    state = state_of(rules, record, now_ns)
    if state is KeyState.EXPIRED and rules.on_expired == "reject":
        return Action.REJECT
    return TABLE[state, record is None or canonical(record.request) == canonical(request)]
