"""Tools and toolsets: the decorator that turns a Python function into a tool of the mock server.

@tool(writes=True, identity=["order_id"])
def refund_order(world: World, order_id: str, amount: str) -> dict[str, Any]:
    '''Pay an order back.'''
"""

import inspect
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Union, get_args, get_origin

from faultlab.core.contract import CONDITION_FIELD, KEY_FIELD, REFERENCE_FIELD, Contract, contract_text
from faultlab.core.errors import BadInput
from faultlab.core.records import ToolKind

Shown = Callable[[Mapping[str, Any]], Sequence[str | None]]
"""From a read's body to the reference of each effect it shows; None for an effect without one."""

SCHEMA_TYPES: Mapping[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


class Refused(Exception):
    """A tool raises it to refuse a call: nothing is changed, the caller gets `status` and the reason."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(f"{status} {code}: {detail}")
        self.status = status
        self.code = code
        self.detail = detail


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool: its function and what it declares about itself."""

    name: str
    kind: ToolKind
    function: Callable[..., Any]
    description: str
    schema: Mapping[str, Any]
    """JSON Schema of the tool's own arguments."""
    identity: tuple[str, ...] = ()
    """The arguments that say which effect is meant."""
    reveals: Mapping[str, Shown | None] = field(default_factory=dict)
    """For a read: write tool -> which of its effects the body shows, asked by the write tool's identity.
    None: the answer changes with such an effect, but does not say with which one (a balance)."""
    idempotent: bool = False
    """Calling again with equal arguments leaves the same state."""
    provisional: bool = False
    """Its 2xx is a promise, not a result."""
    ok_declared: bool = False
    """`ok: false` in its 200 means that nothing was done."""
    versioned: tuple[str, str] | None = None
    """Table and argument of the row that it reads or writes, where that row has versions."""
    reverses: str | None = None
    """The write tool whose effect this one takes back."""
    route: tuple[str, str] | None = None
    """HTTP method and path, `("POST", "/v1/refunds")`; else `POST /tools/NAME`."""

    shows: tuple[tuple[str, Shown], ...] = field(init=False)
    """The entries of `reveals` that name effects."""

    def __post_init__(self) -> None:
        shows = tuple((name, effects) for name, effects in self.reveals.items() if effects is not None)
        object.__setattr__(self, "shows", shows)

    @property
    def arguments(self) -> tuple[str, ...]:
        return tuple(self.schema["properties"])

    def conditional(self, contract: Contract) -> bool:
        """Whether a call may carry If-Match."""
        return self.kind == "write" and self.versioned is not None and contract.precondition is not None

    def spec(self, contract: Contract) -> dict[str, Any]:
        """What an agent sees of it: name, description, parameters as JSON Schema, and the contract's terms."""
        properties = dict(self.schema["properties"])
        required = list(self.schema["required"])
        description = self.description
        if self.kind == "write":
            key = contract.key
            if key is not None:
                properties[KEY_FIELD] = {"type": "string", "maxLength": key.max_length}
                if key.required:
                    required.append(KEY_FIELD)
            properties[REFERENCE_FIELD] = {"type": "string"}
            if self.conditional(contract):
                properties[CONDITION_FIELD] = {"type": "string"}
                if contract.precondition == "required":
                    required.append(CONDITION_FIELD)
            if contract.status or contract.fence:
                required.append(REFERENCE_FIELD)
            description = f"{description}\n\n{contract_text(contract)}"
        spec: dict[str, Any] = {
            "name": self.name,
            "kind": self.kind,
            "description": description,
            "parameters": {
                "type": "object",
                "properties": properties,
                "required": required,
                "additionalProperties": False,
            },
        }
        if self.kind == "write":
            spec["identity"] = list(self.identity)
            spec["contract"] = contract.as_spec()
            spec["idempotent"] = self.idempotent
            spec["provisional"] = self.provisional
        elif self.shows:
            spec["reveals"] = sorted(name for name, _ in self.shows)
        return spec


def tool(
    *,
    writes: bool = False,
    kind: Literal["status", "fence"] | None = None,
    identity: Iterable[str] = (),
    reveals: Mapping[str, Shown | None] | None = None,
    idempotent: bool = False,
    provisional: bool = False,
    ok_declared: bool = False,
    versioned: str | None = None,
    reverses: str | None = None,
    route: str | None = None,
) -> Callable[[Callable[..., Any]], Tool]:
    """Make a tool of a function whose first parameter is the world and whose others are the tool's arguments.

    The function's docstring is what an agent reads, its annotations become the JSON Schema. It returns a JSON
    object, or raises `Refused`. Raises BadInput where the declaration cannot be meant.
    """

    def decorate(function: Callable[..., Any]) -> Tool:
        name = function.__name__
        schema = schema_of(function)
        names = tuple(identity)
        if unknown := [item for item in names if item not in schema["properties"]]:
            raise BadInput(f"tool {name}: identity names {unknown[0]!r}, which is not one of its parameters")
        if writes and not names:
            raise BadInput(f"tool {name}: a tool that writes needs identity=[...], the arguments that name its effect")
        table, _, argument = (versioned or "").partition("/")
        if versioned is not None and argument not in schema["properties"]:
            raise BadInput(f"tool {name}: versioned={versioned!r} must be TABLE/PARAMETER, a parameter of the tool")
        if writes and reveals:
            raise BadInput(f"tool {name}: a tool either writes or reveals")
        method, _, path = (route or "").partition(" ")
        return Tool(
            name=name,
            kind=kind or ("write" if writes else "read"),
            function=function,
            description=inspect.cleandoc(function.__doc__ or name.replace("_", " ")),
            schema=schema,
            identity=names,
            reveals=reveals or {},
            idempotent=idempotent,
            provisional=provisional,
            ok_declared=ok_declared,
            versioned=(table, argument) if versioned else None,
            reverses=reverses,
            route=(method, path) if route else None,
        )

    return decorate


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


@dataclass(frozen=True, slots=True)
class Toolset:
    """Tools that share a world."""

    name: str
    tools: Mapping[str, Tool]

    @staticmethod
    def of(name: str, *tools: Tool) -> "Toolset":
        """Raises BadInput for two tools of one name, or a read that reveals a tool that is not there."""
        table = {item.name: item for item in tools}
        if len(table) != len(tools):
            raise BadInput(f"toolset {name}: two tools have one name")
        for item in tools:
            for target in [*item.reveals, *([item.reverses] if item.reverses else [])]:
                if target not in table or table[target].kind != "write":
                    raise BadInput(f"toolset {name}: {item.name} names {target!r}, which is not a write tool of it")
        return Toolset(name, table)

    def plus(self, *tools: Tool) -> "Toolset":
        """The same with tools added, as a contract adds its status query or fence."""
        return Toolset(self.name, {**self.tools, **{item.name: item for item in tools}})
