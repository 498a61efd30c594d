"""What an agent returned, as a claim: None says done; anything else must be a Claim with the right fields."""

from collections.abc import Mapping
from typing import Any

from faultlab.core.errors import BadInput
from faultlab.core.records import STATUSES, Claim, HandOver

PLAIN = (str, int, float, bool, list, dict, tuple)
ALLOWED = ", ".join(STATUSES)


def claim_of(value: Any) -> Claim:
    """Raises TypeError or ValueError that says what is wrong with it."""
    if value is None:
        return Claim.done()
    if not isinstance(value, Claim):
        raise TypeError(f"the agent returned {shown(value)}; it must return a Claim or None")
    if wrong := malformed(value):
        raise ValueError(f"the agent's claim has {wrong}")
    return value._replace(
        evidence=tuple(value.evidence), operations=dict(value.operations), hand_over=tuple(value.hand_over)
    )


def malformed(claim: Claim) -> str:
    """Which field is not what it must be; empty: none."""
    if claim.status not in STATUSES:
        return f"status {shown(claim.status)}; it must be one of {ALLOWED}"
    if not isinstance(claim.text, str):
        return f"text {shown(claim.text)}; it must be a str"
    if not isinstance(claim.evidence, tuple | list) or not all(type(item) is int for item in claim.evidence):
        return f"evidence {shown(claim.evidence)}; it must be the numbers of calls, [3, 4]"
    operations = claim.operations
    if not isinstance(operations, Mapping) or not all(
        isinstance(name, str) and status in STATUSES for name, status in operations.items()
    ):
        return f"operations {shown(operations)}; it must map names of operations to one of {ALLOWED}"
    records = claim.hand_over
    if not isinstance(records, tuple | list) or not all(isinstance(item, HandOver) for item in records):
        return f"hand_over {shown(records)}; it must hold HandOver records"
    return ""


def shown(value: Any) -> str:
    """A value and its type, for a message; of an object the type alone, for its repr may hold an address."""
    kind = type(value)
    return f"{value!r} ({kind.__name__})" if kind in PLAIN else f"an object of type {kind.__name__}"


def claim_from(data: Any) -> Claim:
    """A claim from JSON: the same members everywhere. Raises BadInput that names the one that is wrong."""
    if not isinstance(data, dict):
        raise BadInput(f"a claim is a JSON object with a member `status`: {', '.join(STATUSES)}")
    known = {"status", "text", "evidence", "operations", "hand_over"}
    if unknown := sorted(set(data) - known):
        raise BadInput(f"a claim has no member {unknown[0]!r}; it has {', '.join(sorted(known))}")
    records = data.get("hand_over", [])
    try:
        handed = tuple(_record(item) for item in records)
        evidence = tuple(data.get("evidence", []))
    except (TypeError, KeyError) as error:
        raise BadInput(f"the claim's lists cannot be read: {error!r}") from None
    claim = Claim(data.get("status", ""), data.get("text", ""), evidence, data.get("operations", {}), handed)
    if wrong := malformed(claim):
        raise BadInput(f"the claim has {wrong}")
    return claim


def _record(item: Any) -> HandOver:
    if not isinstance(item, dict):
        raise BadInput(f"a hand-over record is an object with {', '.join(HandOver._fields)}")
    if unknown := sorted(set(item) - set(HandOver._fields)):
        raise BadInput(f"a hand-over record has no member {unknown[0]!r}; it has {', '.join(HandOver._fields)}")
    missing = [name for name in HandOver._fields if name not in item and name not in HandOver._field_defaults]
    if missing:
        raise BadInput(f"a hand-over record lacks {missing[0]!r}")
    return HandOver(**{**item, "reads": tuple(item.get("reads", ()))})
