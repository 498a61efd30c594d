"""What the answers of status queries and fences mean, for server and client alike."""

from collections.abc import Mapping
from typing import Any, Literal

from faultlab.core.contract import Contract
from faultlab.core.records import Reveal

Answer = Literal["present", "absent", "not_ready", "fenced"]

STATES: Mapping[str, Answer] = {
    "applied": "present",
    "not_found": "absent",
    "not_ready": "not_ready",
    "cancelled": "fenced",
    "accepted": "not_ready",
}
"""The member `state` of such an answer, as a Reveal says it."""


def handle_reveal(kind: str, contract: Contract, handle: str, body: Any) -> Reveal:
    """What was asked by a key or reference, and what the answer settles; `body` None: there was no answer."""
    state = STATES.get(body.get("state", "")) if isinstance(body, Mapping) else None
    answer = state or "not_ready"
    offered = contract.status if kind == "status" else contract.fence == "durable"
    definitive = offered and answer in ("present", "absent", "fenced")
    return Reveal("", "", handle, (handle,) if answer == "present" else (), answer, definitive)
