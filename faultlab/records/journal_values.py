"""records: any value as JSON, as the journal keeps it and a model reads it."""

import json
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from typing import Any


def _plain(value: Any) -> Any:
    """What JSON does not know: records, models and mappings by their members, all else as text."""
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    return str(value)


_as_it_is = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, default=_plain).encode
_escaped = json.JSONEncoder(separators=(",", ":"), default=_plain).encode
_LEVELS = 16
"""Deeper than this no part of a value is saved where the whole of it cannot be stored."""


def as_json(value: Any) -> str:
    """Any value, for an answer came after its effect: what JSON cannot hold of it is a text that says so."""
    try:
        text = _as_it_is(value)
        text.encode()
    except UnicodeEncodeError:  # half a surrogate pair, which JSON holds as an escape
        return _escaped(value)
    except Exception:  # noqa: BLE001 - a user's own types raise what they like
        return _escaped(_storable(value, _LEVELS, set()))
    return text


def _storable(value: Any, levels: int, seen: set[int]) -> Any:
    """A copy with a text in place of each part that cannot be stored. `seen`: what was cut open already."""
    try:
        return json.loads(_escaped(value))
    except Exception as error:  # noqa: BLE001 - as above
        problem = type(error).__name__
    if levels and id(value) not in seen:
        seen.add(id(value))
        if isinstance(value, Mapping) and all(isinstance(name, str) for name in value):
            return {name: _storable(item, levels - 1, seen) for name, item in value.items()}
        if isinstance(value, list | tuple):
            return [_storable(item, levels - 1, seen) for item in value]
    return f"(left out: a {type(value).__name__} that JSON cannot hold, {problem})"
