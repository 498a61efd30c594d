"""JSON Schema of a tool's parameters, from the annotations of its function."""

import inspect
import types
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

from faultlab.core.errors import BadInput

SCHEMA_TYPES: Mapping[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


def schema_of(function: Callable[..., Any]) -> dict[str, Any]:
    """JSON Schema of the parameters after the first, from their annotations."""
    parameters = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
    return {
        "type": "object",
        "properties": {
            item.name: type_schema(item.annotation, f"{function.__name__}({item.name})") for item in parameters
        },
        "required": [item.name for item in parameters if item.default is inspect.Parameter.empty],
        "additionalProperties": False,
    }


def type_schema(annotation: Any, where: str) -> dict[str, Any]:
    """JSON Schema of one annotation: scalars, lists, dicts, Literal and Optional."""
    if annotation in SCHEMA_TYPES:
        return {"type": SCHEMA_TYPES[annotation]}
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is list:
        return {"type": "array", "items": type_schema(inner[0], where)}
    if origin is dict or annotation is dict:
        return {"type": "object"}
    if origin is Literal:
        return {"enum": list(inner)}
    if origin in (Union, types.UnionType):
        kinds = [{"type": "null"} if item is type(None) else type_schema(item, where) for item in inner]
        return {"anyOf": kinds}
    raise BadInput(f"tool parameter {where}: annotate it with str, int, float, bool, list, dict, Literal or Optional")


SCALARS: Mapping[Any, type] = {"string": str, "integer": int, "boolean": bool}
"""JSON Schema types that one Python type stands for."""


class Plain(NamedTuple):
    """The part of a parameters' schema by which a call of the usual kind is checked at once."""

    kinds: Mapping[str, type]
    """Parameters that have one plain type, and that type in Python."""
    required: frozenset[str]
    """Parameters that every call must have."""

    @staticmethod
    def of(schema: Mapping[str, Any]) -> "Plain":
        kinds = {name: SCALARS.get(inner.get("type")) for name, inner in schema.get("properties", {}).items()}
        known = {name: kind for name, kind in kinds.items() if kind is not None}
        return Plain(known, frozenset(schema.get("required", ())))
