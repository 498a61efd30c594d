"""The JSON form of Python values, so that equal arguments are equal in the record and others are not.

The tool client (`faultlab/client/client.py`) takes plain JSON only, for what it sends again must come back from its
journal in its own type. What is only compared and shown may be more.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any
from uuid import UUID

from faultlab.core.canonical import canonical

AS_TEXT = (Decimal, UUID, PurePath, timedelta)
"""Whose `str` tells all about them."""


class NoForm(Exception):
    """A value of this type has no JSON form."""

    def __init__(self, value: Any) -> None:
        super().__init__(type(value).__name__)


def json_form(value: Any) -> Any:
    """The same for equal values. Raises NoForm where an object has none."""
    try:
        return _form(value, _refuse)
    except RecursionError:
        raise NoForm(value) from None


def shown(value: Any) -> Any:
    """The same for the record alone; of an object that has no form, its type."""
    try:
        return _form(value, _type)
    except RecursionError:
        return _type(value)


def _refuse(value: Any) -> Any:
    raise NoForm(value)


def _type(value: Any) -> str:
    return f"<{type(value).__name__}>"


def _form(value: Any, other: Callable[[Any], Any]) -> Any:
    """`other`: what stands for an object that has no form."""
    if value is None or type(value) in (str, int, float, bool):
        return value
    if isinstance(value, Enum):  # before its base: a StrEnum is a text as well
        return _form(value.value, other)
    for plain in (str, int, float):
        if isinstance(value, plain):
            return plain(value)
    if isinstance(value, AS_TEXT):
        return str(value)
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, bytes | bytearray):
        return value.decode("latin-1")  # a letter for each byte
    return _members(value, other)


def _members(value: Any, other: Callable[[Any], Any]) -> Any:
    """Of an object that consists of others."""
    if hasattr(type(value), "model_dump"):  # pydantic's; of the type, for a mock has every attribute
        try:
            return _form(value.model_dump(mode="json"), other)
        except ValueError:  # a field that pydantic cannot write
            return other(value)
    if is_dataclass(value) and not isinstance(value, type):
        members = [item.name for item in fields(value) if hasattr(value, item.name)]
        return {name: _form(getattr(value, name), other) for name in members}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return _form(value._asdict(), other)
    if isinstance(value, Mapping):
        return {_name(key, other): _form(item, other) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_form(item, other) for item in value]
    if isinstance(value, set | frozenset):
        return sorted([_form(item, other) for item in value], key=canonical)
    return other(value)


def _name(key: Any, other: Callable[[Any], Any]) -> str:
    form = _form(key, other)
    return form if type(form) is str else canonical(form)
