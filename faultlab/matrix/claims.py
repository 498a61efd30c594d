"""What an agent returned, as a claim: None says done; anything else must be a Claim with the right fields."""

from collections.abc import Callable, Mapping
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
    return _settled(value)


def _settled(claim: Claim) -> Claim:
    """With tuples where a claim may be given lists."""
    records = tuple([record._replace(reads=tuple(record.reads)) for record in claim.hand_over])
    return claim._replace(evidence=tuple(claim.evidence), operations=dict(claim.operations), hand_over=records)


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _text_or_none(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _number(value: Any) -> bool:
    return type(value) is int


def _numbers(value: Any) -> bool:
    return isinstance(value, tuple | list) and all(map(_number, value))


RECORD: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "operation": (_text, "a text, as in refund_order(A17)"),
    "handle": (_text_or_none, "the key or reference, a text, or null"),
    "digest": (_text, "a text"),
    "scope": (_text_or_none, "a text or null"),
    "first_sent_ns": (_number, "a whole number of nanoseconds"),
    "last_receipt": (_text, "a text: a status or an exception"),
    "reads": (_numbers, "the numbers of calls, [3, 4]"),
}
"""Member of a hand-over record -> whether a value fits, and what it must be. Agents write them: nothing is certain."""


def malformed(claim: Claim) -> str:
    """Which field is not what it must be; empty: none."""
    if claim.status not in STATUSES:
        return f"status {shown(claim.status)}; it must be one of {ALLOWED}"
    if not isinstance(claim.text, str):
        return f"text {shown(claim.text)}; it must be a str"
    if not _numbers(claim.evidence):
        return f"evidence {shown(claim.evidence)}; it must be the numbers of calls, [3, 4]"
    operations = claim.operations
    if not isinstance(operations, Mapping) or not all(
        isinstance(name, str) and status in STATUSES for name, status in operations.items()
    ):
        return f"operations {shown(operations)}; it must map names of operations to one of {ALLOWED}"
    records = claim.hand_over
    if not isinstance(records, tuple | list) or not all(isinstance(item, HandOver) for item in records):
        return f"hand_over {shown(records)}; it must hold HandOver records"
    return next(filter(None, map(_malformed_record, records)), "")


def _malformed_record(record: HandOver) -> str:
    for name, value in record._asdict().items():
        fits, wanted = RECORD[name]
        if not fits(value):
            return f"a hand-over record with {name} {shown(value)}; it must be {wanted}"
    return ""


def shown(value: Any) -> str:
    """A value and its type, for a message; of an object the type alone, for its repr may hold an address."""
    kind = type(value)
    return f"{value!r} ({kind.__name__})" if kind in PLAIN else f"an object of type {kind.__name__}"


def claim_from(data: Any) -> Claim:
    """A claim from JSON: the same members everywhere; null stands for one that is absent.

    Raises BadInput that names the one that is wrong.
    """
    if not isinstance(data, dict):
        raise BadInput(f"a claim is a JSON object with a member `status`: {', '.join(STATUSES)}")
    known = {"status", "text", "evidence", "operations", "hand_over"}
    if unknown := sorted(set(data) - known):
        raise BadInput(f"a claim has no member {unknown[0]!r}; it has {', '.join(sorted(known))}")
    given = {name: value for name, value in data.items() if value is not None}
    records = given.pop("hand_over", [])
    if not isinstance(records, list):
        raise BadInput(f"the claim has hand_over {shown(records)}; it must be a list of hand-over records")
    claim = Claim(**{"status": "", **given, "hand_over": tuple(map(_record, records))})
    if wrong := malformed(claim):
        raise BadInput(f"the claim has {wrong}")
    return _settled(claim)


def _record(item: Any) -> HandOver:
    if not isinstance(item, dict):
        raise BadInput(f"a hand-over record is an object with {', '.join(RECORD)}, not {shown(item)}")
    if unknown := sorted(set(item) - set(RECORD)):
        raise BadInput(f"a hand-over record has no member {unknown[0]!r}; it has {', '.join(RECORD)}")
    missing = [name for name in RECORD if name not in item and name not in HandOver._field_defaults]
    if missing:
        raise BadInput(f"a hand-over record lacks {missing[0]!r}")
    return HandOver(**{**item, "reads": () if item.get("reads") is None else item["reads"]})
