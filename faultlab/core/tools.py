"""Tools and toolsets: the decorator that turns a Python function into a tool of the mock server.

@tool(writes=True, identity=["order_id"])
def refund_order(world: World, order_id: str, amount: str) -> dict[str, Any]:
    '''Pay an order back.'''
"""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from faultlab.core.canonical import identity_of
from faultlab.core.carried import Carried
from faultlab.core.contract import CONDITION_FIELD, KEY_FIELD, REFERENCE_FIELD, Contract
from faultlab.core.errors import BadInput
from faultlab.core.promises import contract_text
from faultlab.core.records import ToolKind
from faultlab.core.schemas import Plain, schema_of

Shown = Callable[[Mapping[str, Any]], Sequence[str | None]]
"""From a read's body to the reference of each effect it shows; None for an effect without one."""

APPROVAL = "approval"
"""The parameter of a tool with `needs_approval` that names the approval."""


class Refused(Carried):
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
    """Table and argument of the row that it reads or writes, where that row has versions (entity tags)."""
    revised: tuple[str, str] | None = None
    """For a read: table and argument of the document that it shows, whose version is the body's own `revision`."""
    reverses: str | None = None
    """The write tool whose effect this one takes back."""
    scope: str | None = None
    """The argument that says where: keys and reads count there only. It is no part of the identity."""
    items: str | None = None
    """The argument that is a list of effects, each answered by itself (207)."""
    equivalent_to: str | None = None
    """The write tool that reaches the same on another way; this one does not lift a refusal of that one."""
    depends_on: tuple[str, ...] = ()
    """Members of the versioned row from which a write's arguments are decided."""
    needs_approval: bool = False
    """Its argument `approval` names an approval that was given for the digest of the other arguments."""
    retryable: bool = False
    """What it promised and failed to do may be asked for again."""
    poll_s: float | None = None
    """How far apart two questions about it should be; None: the contract's `poll_s`."""
    route: tuple[str, str] | None = None
    """HTTP method and path, `("POST", "/v1/refunds")`; else `POST /tools/NAME`."""

    shows: tuple[tuple[str, Shown], ...] = field(init=False)
    """The entries of `reveals` that name effects."""
    plain: Plain = field(init=False)
    """What most calls can be checked by."""

    def __post_init__(self) -> None:
        shows = tuple((name, effects) for name, effects in self.reveals.items() if effects is not None)
        object.__setattr__(self, "shows", shows)
        object.__setattr__(self, "plain", Plain.of(self.schema))

    @property
    def arguments(self) -> tuple[str, ...]:
        return tuple(self.schema["properties"])

    def meant(self, args: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
        """Which effect a call means, and of a list which effects; what does not fit is left to the server to refuse."""
        if self.items is None:
            return (identity_of(self.identity, args), ()) if self.identity else ("", ())
        listed = args.get(self.items)
        each = listed if isinstance(listed, list) else []
        items = tuple([identity_of(self.identity, {**args, **item}) for item in each if isinstance(item, Mapping)])
        return "; ".join(items), items

    def place(self, args: Mapping[str, Any]) -> str | None:
        """The scope that a call names."""
        named = None if self.scope is None else args.get(self.scope)
        return named if isinstance(named, str) else None

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
            description = "\n\n".join([description, *self._own_terms(), contract_text(contract)])
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
            spec |= self.terms()
        elif self.shows:
            spec["reveals"] = sorted(name for name, _ in self.shows)
        return spec

    def terms(self) -> dict[str, Any]:
        """What a write tool declares about itself, as data; only what is not the default of `versioned` and below."""
        declared = {
            "versioned": "/".join(self.versioned) if self.versioned else None,
            "scope": self.scope,
            "items": self.items,
            "equivalent_to": self.equivalent_to,
            "depends_on": list(self.depends_on),
            "needs_approval": self.needs_approval,
            "retryable": self.retryable,
            "ok_declared": self.ok_declared,
            "poll_s": self.poll_s,
        }
        told = {name: value for name, value in declared.items() if value}
        return {"idempotent": self.idempotent, "provisional": self.provisional, **told}

    def _own_terms(self) -> Iterable[str]:
        """The same in plain words, where it must be known before the first call."""
        if self.scope:
            yield f"{self.scope} says where; what is done in one is not seen in another."
        if self.items:
            yield f"Each of {self.items} is done or refused by itself; the answer (207) has a status for each."
        if self.provisional:
            again = "may be asked for again" if self.retryable else "is not tried again"
            yield f"The answer is a promise: ask what became of it. One that failed {again}."
        if self.equivalent_to:
            yield f"It reaches the same as {self.equivalent_to}, and does not lift a refusal of it."
        if self.needs_approval:
            yield "It may be called only under an approval, in force and not withdrawn, for these very arguments."


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
    revised: str | None = None,
    reverses: str | None = None,
    scope: str | None = None,
    items: str | None = None,
    equivalent_to: str | None = None,
    depends_on: Iterable[str] = (),
    needs_approval: bool = False,
    retryable: bool = False,
    poll_s: float | None = None,
    route: str | None = None,
) -> Callable[[Callable[..., Any]], Tool]:
    """Make a tool of a function whose first parameter is the world and whose others are the tool's arguments.

    The function's docstring is what an agent reads, its annotations become the JSON Schema. It returns a JSON
    object, or raises `Refused`. Raises BadInput where the declaration cannot be meant.
    """

    def decorate(function: Callable[..., Any]) -> Tool:
        name = function.__name__
        made = Tool(
            name=name,
            kind=kind or ("write" if writes else "read"),
            function=function,
            description=inspect.cleandoc(function.__doc__ or name.replace("_", " ")),
            schema=schema_of(function),
            identity=tuple(identity),
            reveals=reveals or {},
            idempotent=idempotent,
            provisional=provisional,
            ok_declared=ok_declared,
            versioned=_pair(versioned, "/"),
            revised=_pair(revised, "/"),
            reverses=reverses,
            scope=scope,
            items=items,
            equivalent_to=equivalent_to,
            depends_on=tuple(depends_on),
            needs_approval=needs_approval,
            retryable=retryable,
            poll_s=poll_s,
            route=_pair(route, " "),
        )
        if wrong := next(iter(_wrong(made)), None):
            raise BadInput(f"tool {name}: {wrong}")
        return made

    return decorate


def _pair(text: str | None, mark: str) -> tuple[str, str] | None:
    """What stands before and after the mark."""
    if text is None:
        return None
    before, _, after = text.partition(mark)
    return before, after


def _wrong(made: Tool) -> Iterable[str]:
    """What cannot be meant in a declaration."""
    parameters, writes = made.schema["properties"], made.kind == "write"
    if made.items is not None and parameters.get(made.items, {}).get("type") != "array":
        yield f"items={made.items!r} must be a parameter of it that is a list"
    for name in made.identity if made.items is None else ():
        if name not in parameters:
            yield f"identity names {name!r}, which is not one of its parameters"
    if writes and not made.identity:
        yield "a tool that writes needs identity=[...], the arguments that name its effect"
    if made.scope in made.identity:
        yield f"scope={made.scope!r} says where, identity says what: name it once"
    for word, place in (("versioned", made.versioned), ("revised", made.revised)):
        if place is not None and place[1] not in parameters:
            yield f"{word}={'/'.join(place)!r} must be TABLE/PARAMETER, a parameter of the tool"
    if made.scope is not None and made.scope not in parameters:
        yield f"scope={made.scope!r} is not one of its parameters"
    if made.needs_approval and APPROVAL not in parameters:
        yield f"needs_approval wants a parameter {APPROVAL!r}, which names the approval"
    if made.depends_on and made.versioned is None:
        yield "depends_on names members of a versioned row: say which with versioned=TABLE/PARAMETER"
    if writes and (made.reveals or made.revised):
        yield "a tool either writes or reveals"
    if made.retryable and not made.provisional:
        yield "retryable speaks of promises that failed: it wants provisional=True"
    if made.poll_s is not None and made.poll_s <= 0:
        yield f"poll_s={made.poll_s:g} must be above 0 s"


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
            for target in [*item.reveals, *filter(None, (item.reverses, item.equivalent_to))]:
                if target not in table or table[target].kind != "write":
                    raise BadInput(f"toolset {name}: {item.name} names {target!r}, which is not a write tool of it")
        return Toolset(name, table)

    def plus(self, *tools: Tool) -> "Toolset":
        """The same with tools added, as a contract adds its status query or fence."""
        return Toolset(self.name, {**self.tools, **{item.name: item for item in tools}})
