"""Checks plain data against the part of JSON Schema that scenarios use, and says what is allowed instead."""

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from faultlab.matrix.marks import Place

Problem = tuple[Place, str]
"""Where, and what is wrong there."""

WORDS = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "null",
}
"""What a JSON type is called in a message."""


def problems(schema: Mapping[str, Any], value: Any, path: Place = ()) -> Iterator[Problem]:
    """Every place where the value is not as the schema says."""
    if "anyOf" in schema:
        yield from _any(schema["anyOf"], value, path)
    elif "type" in schema and not _is(schema["type"], value):
        hint = "; quote it" if schema["type"] == "string" and isinstance(value, int | float) else ""
        yield path, f"{_name(path)} must be {WORDS[schema['type']]}, not {shown(value)}{hint}"
    elif "enum" in schema and value not in schema["enum"]:
        yield path, unknown(_name(path), value, schema["enum"])
    elif isinstance(value, Mapping):
        yield from _mapping(schema, value, path)
    elif isinstance(value, list):
        if len(value) < schema.get("minItems", 0):
            few = "is empty" if not value else f"has {len(value)}"
            yield path, f"{_name(path)} {few}; it needs at least {schema['minItems']}"
        if len(value) > schema.get("maxItems", len(value)):
            yield path, f"{_name(path)} has {len(value)}; it takes {schema['maxItems']}"
        for position, item in enumerate(value):
            yield from problems(schema.get("items", {}), item, (*path, position))
    elif isinstance(value, str):
        if len(value.strip()) < schema.get("minLength", 0):
            yield path, f"{_name(path)} is empty; it must be text"
        elif not re.search(schema.get("pattern", ""), value):
            yield path, f"{_name(path)} is {value!r}; it must be {schema['$comment']}"
    elif value is not None and not isinstance(value, bool):
        yield from _number(schema, value, path)


def _any(branches: Iterable[Mapping[str, Any]], value: Any, path: Place) -> Iterator[Problem]:
    """The complaints of the one branch that is meant for a value of this type."""
    for branch in branches:
        if _is(branch.get("type", "string"), value):
            yield from problems(branch, value, path)
            return
    words = " or ".join(dict.fromkeys(WORDS[branch.get("type", "string")] for branch in branches))
    yield path, f"{_name(path)} must be {words}, not {shown(value)}"


def _mapping(schema: Mapping[str, Any], value: Mapping[str, Any], path: Place) -> Iterator[Problem]:
    known = schema.get("properties", {})
    others = schema.get("additionalProperties", {})
    for name, item in value.items():
        yield from problems(schema.get("propertyNames", {}), name, (*path, name))
        if name in known:
            yield from problems(known[name], item, (*path, name))
        elif others is False:
            yield (*path, name), unknown(f"key of {_name(path)}" if path else "key", name, known)
        else:
            yield from problems(others, item, (*path, name))
    for name in schema.get("required", ()):
        if name not in value:
            yield (*path, name), f"{_name(path)} lacks {name!r}"
    if len(value) < schema.get("minProperties", 0):
        yield path, f"{_name(path)} is empty; it needs at least {schema['minProperties']}"


def _number(schema: Mapping[str, Any], value: float, path: Place) -> Iterator[Problem]:
    if "minimum" in schema and value < schema["minimum"]:
        yield path, f"{_name(path)} is {value}; it must be {schema['minimum']} or more"
    if "maximum" in schema and value > schema["maximum"]:
        yield path, f"{_name(path)} is {value}; it must be {schema['maximum']} or less"
    if "exclusiveMinimum" in schema and value <= schema["exclusiveMinimum"]:
        yield path, f"{_name(path)} is {value}; it must be above {schema['exclusiveMinimum']}"


def _is(kind: str, value: Any) -> bool:
    if kind in ("integer", "number"):
        return isinstance(value, int if kind == "integer" else int | float) and not isinstance(value, bool)
    kinds: Mapping[str, type | tuple[type, ...]] = {
        "string": str,
        "boolean": bool,
        "array": list,
        "object": Mapping,
        "null": type(None),
    }
    return isinstance(value, kinds[kind])


def _name(path: Place) -> str:
    """The last key on the way, with the position where it is a list: `plan 2`."""
    if not path:
        return "the scenario"
    if isinstance(path[-1], int):
        return f"{path[-2]} {path[-1] + 1}"
    return str(path[-1])


def shown(value: Any) -> str:
    """A value as it goes into a message."""
    for kind in ("object", "array", "null"):
        if _is(kind, value):
            return WORDS[kind]
    return repr(value).lower() if isinstance(value, bool) else repr(value)


def unknown(what: str, value: Any, known: Iterable[Any]) -> str:
    """`unknown suite 'natrual'; did you mean 'natural'? Known: boundary, natural`."""
    names = [str(item) for item in known]
    near = difflib.get_close_matches(str(value), names, 1)
    hint = f"did you mean {near[0]!r}? Known" if near else "known"
    return f"unknown {what} {value!r}; {hint}: {', '.join(names)}"
