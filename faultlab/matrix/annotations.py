"""JSON Schema of the fields of a dataclass, from their annotations: parameters of contracts and of faults."""

from collections.abc import Collection, Mapping
from dataclasses import MISSING, fields
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

JSON_TYPES: Mapping[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def schema_of(annotation: Any) -> dict[str, Any]:
    """Of one annotation. Numbers are never negative."""
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return {"type": JSON_TYPES[type(inner[0])], "enum": list(inner)}
    if origin in (Union, UnionType):
        branches = [schema_of(item) for item in inner]
        return {"anyOf": branches}
    if origin in (frozenset, tuple):
        return {"type": "array", "items": schema_of(inner[0])}
    if origin is Mapping:
        return {"type": "object"}
    if annotation in (int, float):
        return {"type": JSON_TYPES[annotation], "minimum": 0}
    return {"type": JSON_TYPES[annotation]}


def parameters(record: type[Any], without: Collection[str] = ()) -> dict[str, Any]:
    """Field -> its schema."""
    hints = get_type_hints(record)
    return {item.name: schema_of(hints[item.name]) for item in fields(record) if item.name not in without}


def needed(record: type[Any]) -> list[str]:
    """The fields without a default."""
    return [item.name for item in fields(record) if item.default is MISSING and item.default_factory is MISSING]


def parameter_schema(record: type[Any]) -> dict[str, Any]:
    """All its fields as one mapping."""
    return {
        "type": "object",
        "properties": parameters(record),
        "required": needed(record),
        "additionalProperties": False,
    }
