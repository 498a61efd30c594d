"""What the answers of status queries and fences mean, for server and client alike."""

from collections.abc import Mapping
from typing import Any, Literal

from faultlab.core.contract import Contract
from faultlab.core.records import Reveal

Answer = Literal["present", "absent", "not_ready", "fenced", "failed"]

STATES: Mapping[str, Answer] = {
    "applied": "present",
    "not_found": "absent",
    "failed": "failed",
    "not_ready": "not_ready",
    "cancelled": "fenced",
    "accepted": "not_ready",
}
"""The member `state` of such an answer, as a Reveal says it."""


def handle_reveal(kind: str, contract: Contract, handle: str, body: Any) -> Reveal:
    """What was asked by a key or reference, and what the answer settles; `body` None: there was no answer.

    An answer may name the tool and the identity of what was done under the handle.
    """
    state = STATES.get(body.get("state", "")) if isinstance(body, Mapping) else None
    answer = state or "not_ready"
    offered = contract.status if kind == "status" else contract.fence == "durable"
    definitive = answer == "failed" or (offered and answer in ("present", "absent", "fenced"))
    done = body if answer == "present" else {}
    shown = (handle,) if answer == "present" else ()
    return Reveal(done.get("tool", ""), done.get("identity", ""), handle, shown, answer, definitive)


def is_fresh(body: Any, headers: Mapping[str, str]) -> bool:
    """Whole, and no older than the read itself (RFC 9111 section 5.1: Age is the time since it was made)."""
    age = headers.get("age", "0").strip()
    if not age.isascii() or not age.isdigit() or int(age) > 0:
        return False
    return not isinstance(body, Mapping) or is_whole(body)


def is_whole(body: Mapping[str, Any]) -> bool:
    """It does not say of itself that there is more."""
    return body.get("complete", True) is True and not body.get("next")
