"""client: what its users give it, checked before anything is written or sent."""

from typing import Any

from faultlab.core.errors import BadInput


def text(what: str, value: Any, example: str) -> str:
    """What names an operation must be the same text in every life: 1 and "1" would be two in memory, one in a table."""
    if not isinstance(value, str):
        raise BadInput(f"{what}={value!r}: write a text, such as {what}={example!r}")
    if not storable(value):
        raise BadInput(f"{what}={value!r}: no database can hold half a surrogate pair or a NUL; leave them out")
    return value


def storable(value: str) -> bool:
    """Every database takes it as a text."""
    return "\0" not in value and not any("\ud800" <= letter <= "\udfff" for letter in value)
