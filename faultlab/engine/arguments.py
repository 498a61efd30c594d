"""Arguments against a tool's schema: what the server refuses before it looks at anything else."""

from collections.abc import Mapping
from typing import Any

from faultlab.core.tools import Tool

SCALARS: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
}


def invalid(tool: Tool, args: Mapping[str, Any]) -> str | None:
    """What is wrong with the arguments by the tool's schema; None: nothing. A schema without properties takes any."""
    kinds, required = tool.plain
    for name, value in args.items():
        if type(value) is not kinds.get(name):
            break
    else:
        if args.keys() >= required:
            return None  # the usual case: every argument is of its one plain type
    properties = tool.schema.get("properties")
    if properties is None:
        return None
    for name, value in args.items():
        schema = properties.get(name)
        if schema is None:
            return f"{tool.name} has no parameter {name!r}"
        if (wanted := misfit(schema, value)) is not None:
            return f"{tool.name}: {name} must be {wanted}, not {type(value).__name__}"
    for name in tool.schema["required"]:
        if name not in args:
            return f"{tool.name} needs the parameter {name!r}"
    return None


def misfit(schema: Mapping[str, Any], value: Any) -> str | None:
    """What the schema of one parameter (`core.tools.type_schema`) wants instead of the value; None: it fits."""
    kind = schema.get("type")
    if kind is not None:
        if not isinstance(value, SCALARS[kind]) or (type(value) is bool and kind != "boolean"):
            return f"of type {kind}"
        if isinstance(value, list):
            wrong = next((wanted for item in value if (wanted := misfit(schema["items"], item))), None)
            return None if wrong is None else f"a list whose every item is {wrong}"
        return None
    if "enum" in schema:
        fits = any(item == value and type(item) is type(value) for item in schema["enum"])
        return None if fits else f"one of {schema['enum']}"
    each = [misfit(option, value) for option in schema["anyOf"]]
    return None if None in each else " or ".join(filter(None, each))
