"""What an agent gave that JSON cannot hold: found, and replaced by what it can hold, so that the attempt is kept."""

from collections.abc import Iterable, Mapping
from typing import Any

from faultlab.core.records import Ask, Call, Claim, Note
from faultlab.records.rows import encode

OWN = (Call, Note, Ask, Claim)
"""Kinds of events that hold an agent's own data; receipts only repeat it."""

NAMES: Mapping[type, str] = {Call: "a tool call", Note: "env.store or env.notes", Ask: "ask_user", Claim: "its claim"}


def unfit(events: Iterable[Any]) -> str:
    """Which of an agent's data is no JSON, and why; empty: none."""
    own = [event for event in events if type(event) in OWN]
    if not _problem(own):
        return ""
    event = next(item for item in own if _problem(item))
    return (
        f"the agent gave {NAMES[type(event)]} what JSON cannot hold: {_problem(event)}. Give texts that are valid "
        "Unicode, numbers, booleans, None, and lists and dicts of these"
    )


def _problem(value: Any) -> str:
    try:
        encode(value)
    except (ValueError, TypeError, RecursionError) as error:
        return told(error)
    return ""


def told(error: BaseException) -> str:
    """An exception's text, whatever its `__str__` does."""
    try:
        return text(str(error))
    except Exception as wrong:  # noqa: BLE001 - it is an agent's own code
        return f"(its __str__ raises {type(wrong).__name__})"


def text(value: str) -> str:
    """The text without halves of surrogate pairs, which have no UTF-8."""
    return value if value.isascii() else value.encode(errors="replace").decode()


def plain(value: Any) -> Any:
    """The same in JSON's own types; of anything else the name of its type. Records stay records."""
    if isinstance(value, str):
        return value if value.isascii() else text(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {plain(name): plain(item) for name, item in value.items()}
    if hasattr(value, "_fields"):
        return type(value)._make(map(plain, value))
    if isinstance(value, list | tuple):
        return type(value)(map(plain, value))
    return f"<{type(value).__name__}>"
