"""client: a tool as the client must know it: its function, its contract, and what can be asked about its effects."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from faultlab.client.answers import error_of, refuse
from faultlab.client.leaving import Leaving
from faultlab.client.recovery import Specs
from faultlab.client.returned import NeverRan, reference_of, rows_in
from faultlab.client.steps import Invoke
from faultlab.core.agent import ToolError
from faultlab.core.contract import CONDITION_FIELD, KEY_FIELD, REFERENCE_FIELD, Contract
from faultlab.core.errors import BadInput
from faultlab.core.profiles import contract_of
from faultlab.core.records import Outcome, Receipt
from faultlab.core.tools import Tool

HANDLES = (KEY_FIELD, REFERENCE_FIELD)
SENT_BEFORE = "sent_before"
"""What the function of a wrapped client is told beside the parameters of its operation (`leaving.py`)."""
HEADERS = "headers"
"""Its parameter that says where an operation belongs."""
QUERY, STATUS, FENCE = ".query", ".status", ".fence"
"""Endings of the names under which the surfaces of a tool are asked."""


class Page(NamedTuple):
    """What a query function may return where it did not see everything: `complete=False` proves no absence."""

    rows: list[Any]
    complete: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """One tool that changes something. Make it with `ToolSpec.of`."""

    name: str
    function: Callable[..., Any]
    contract: Contract
    identity: tuple[str, ...]
    query: Callable[..., Any] | None = None
    status: Callable[..., Any] | None = None
    fence: Callable[..., Any] | None = None
    idempotent: bool = False
    provisional: bool = False
    identity_is_all: bool = False
    """Its other parameters only spell what the identity names; those that the journal holds are sent."""
    specs: Specs = field(init=False, repr=False)
    taken: frozenset[str] = field(init=False, repr=False)
    """The parameters of the function."""
    signature: inspect.Signature = field(init=False, repr=False)
    """As its callers see it: without key and reference."""

    @staticmethod
    def of(
        function: Callable[..., Any],
        *,
        contract: Contract | str | Mapping[str, Any],
        identity: Iterable[str],
        name: str | None = None,
        query: Callable[..., Any] | None = None,
        status: Callable[..., Any] | None = None,
        fence: Callable[..., Any] | None = None,
        idempotent: bool = False,
        provisional: bool = False,
    ) -> "ToolSpec":
        """`function` may take `idempotency_key` and `reference`: it is given the operation's own. If it takes
        `if_match`, the caller gives that: the entity tag on which the write rests (RFC 9110 section 13.1.1).

        contract: a profile (`"stripe_v1"`), a profile with changes (`{"profile": "none", "settle_s": 30}`), or a
            Contract. It is what the server behind the function promises.
        identity: the parameters that say which effect is meant.
        query(**identity): the effects it finds: None, one row, a list of rows, or a `Page`. If it takes
            `idempotency_key` or `reference`, what it finds is this operation's own; else a row that has a member
            `reference` is known by it.
        status(reference), fence(reference): `"applied"`, `"not_found"`, `"not_ready"`, `"cancelled"`, or a mapping
            with such a `state`.
        BadInput: the declaration cannot be meant.
        """
        if isinstance(identity, str):
            raise BadInput(f"identity={identity!r}: write a list of names, [{identity!r}]")
        return ToolSpec(
            name=name or function.__name__,
            function=function,
            contract=contract_from(contract),
            identity=tuple(identity),
            query=query,
            status=status,
            fence=fence,
            idempotent=idempotent,
            provisional=provisional,
        ).checked()

    def checked(self) -> "ToolSpec":
        """Itself. BadInput: the declaration cannot be meant."""
        if wrong := next(iter(_wrong(self)), None):
            raise BadInput(f"tool {self.name}: {wrong}")
        return self

    def __post_init__(self) -> None:
        whole = inspect.signature(self.function)
        shown = [item for item in whole.parameters.values() if item.name not in HANDLES]
        object.__setattr__(self, "taken", frozenset(whole.parameters))
        object.__setattr__(self, "signature", whole.replace(parameters=shown))
        object.__setattr__(self, "specs", _specs(self))

    def calling(self, function: Callable[..., Any]) -> "ToolSpec":
        """The same tool by another function of the same parameters."""
        other = copy(self)
        object.__setattr__(other, "function", function)
        return other

    @property
    def parameters(self) -> tuple[str, ...]:
        """The tool's own, without key and reference."""
        return tuple(self.signature.parameters)

    @property
    def asynchronous(self) -> bool:
        return _is_coroutine(self.function)

    @property
    def needs_loop(self) -> str:
        """Why only an event loop can run it, as part of a sentence; empty: it can be called without."""
        if self.asynchronous:
            return "is asynchronous"
        asked = {"query": self.query, "status": self.status, "fence": self.fence}
        return next((f"has an asynchronous {name}" for name, function in asked.items() if _is_coroutine(function)), "")

    def plan(self, step: Invoke) -> tuple[Callable[..., Any], dict[str, Any]]:
        """The function that a step asks for, and its arguments."""
        ending = step.tool.removeprefix(self.name)
        function = {QUERY: self.query, STATUS: self.status, FENCE: self.fence}.get(ending, self.function)
        assert function is not None, f"{step.tool} was not offered"
        handles = {KEY_FIELD: step.key, REFERENCE_FIELD: step.reference, CONDITION_FIELD: step.if_match}
        if ending in (STATUS, FENCE):
            return function, {next(iter(_taken(function))): step.args[REFERENCE_FIELD]}
        taken = self.taken if function is self.function else _taken(function)
        known = {name: value for name, value in handles.items() if value is not None or name == CONDITION_FIELD}
        given: dict[str, Any] = {name: value for name, value in known.items() if name in taken}
        if isinstance(step, Leaving):
            function = step.departure.through(function)
            if self.identity_is_all:
                given[SENT_BEFORE] = step.departure.sent_before
        return function, {**step.args, **given}

    def asked(self, step: Invoke, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments of a question about an operation. Of a wrapped client its query may take the headers, too."""
        if self.identity_is_all and self.query is not None and HEADERS in _taken(self.query):
            return {**step.args, HEADERS: given.get(HEADERS, {})}
        return step.args

    def body(self, step: Invoke, returned: Any) -> Any:
        """What a function returned, as the body of an answer. Raises HttpAnswer for a response of status 400 or more,
        NeverRan for what would have to be run first."""
        if inspect.isawaitable(returned) or (inspect.isgenerator(returned) and step.tool != self.name + QUERY):
            raise NeverRan.of(step.tool, returned)
        refuse(returned)
        if step.tool == self.name:
            promise = returned if self.provisional and isinstance(returned, Mapping) else {}
            return {**promise, "value": returned}
        if step.tool != self.name + QUERY:
            return returned if isinstance(returned, Mapping) else {"state": returned}
        assert self.query is not None
        page = returned if isinstance(returned, Page) else Page(rows_in(returned))
        handles, taken = {KEY_FIELD: step.key, REFERENCE_FIELD: step.reference}, _taken(self.query)
        asked_by = next((handle for name, handle in handles.items() if handle and name in taken), None)
        # Found by its own handle, whatever the server's row calls a reference.
        found = [{REFERENCE_FIELD: asked_by or reference_of(row), "value": row} for row in page.rows]
        return {"found": found, "complete": page.complete}

    def value(self, body: Any, handles: Iterable[str]) -> Any:
        """The value in a body that proved the operation: its own result, or the row that was found."""
        if not isinstance(body, Mapping):
            return body
        if "found" in body:
            rows = body["found"]
            own = [row for row in rows if row[REFERENCE_FIELD] in handles]
            return (own or rows)[0]["value"]
        return body.get("value", body)

    def failed(self, step: Invoke, error: Exception) -> ToolError:
        """What an exception out of a function proves. A query that failed proves nothing, whatever it says. NeverRan is
        raised: that is for its programmer."""
        if isinstance(error, NeverRan):
            raise error
        found = error_of(error, step.tool, self.contract)
        if step.tool != self.name and found.outcome is not Outcome.UNKNOWN:
            receipt: Receipt = found.receipt._replace(outcome=Outcome.UNKNOWN)
            return ToolError(step.tool, Outcome.UNKNOWN, receipt)
        return found


def contract_from(given: Contract | str | Mapping[str, Any]) -> Contract:
    if isinstance(given, Contract):
        return given
    if isinstance(given, str):
        return contract_of(given)
    if not isinstance(given, Mapping) or "profile" not in given:
        raise BadInput(f"contract {given!r}: write a profile's name, or {{'profile': NAME, ...}} with what differs")
    return contract_of(str(given["profile"]), given)


def _is_coroutine(function: Callable[..., Any] | None) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)


def _taken(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(function).parameters


def _wrong(spec: ToolSpec) -> Iterable[str]:
    contract, taken = spec.contract, _taken(spec.function)
    if inspect.isgeneratorfunction(spec.function) or inspect.isasyncgenfunction(spec.function):
        yield "it is a generator function, of which a call runs nothing: declare one that returns its result"
    for word, function in (("query", spec.query), ("status", spec.status), ("fence", spec.fence)):
        if inspect.isasyncgenfunction(function):
            yield f"{word}=... is an asynchronous generator, of which a call runs nothing: declare one that returns"
    for parameter in taken.values():
        if parameter.kind not in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY):
            yield f"its parameter {str(parameter)!r} has no name to be written down by: name each one"
    for name in spec.identity:
        if name not in spec.parameters:
            yield f"identity names {name!r}, which is not one of its parameters"
    if not spec.identity:
        yield "identity=[...] must name the parameters that say which effect is meant"
    if contract.key is not None and KEY_FIELD not in taken:
        yield f"the contract {contract.name!r} honours keys, so the function must take {KEY_FIELD!r} and send it"
    if contract.key is None and KEY_FIELD in taken and taken[KEY_FIELD].default is inspect.Parameter.empty:
        said = f"the contract {contract.name!r} knows no keys, so none is sent"
        yield f"{said}: give {KEY_FIELD!r} a default, or name a contract that honours keys"
    for word, offered, function in (
        ("status", contract.status, spec.status),
        ("fence", contract.fence is not None, spec.fence),
    ):
        if offered and function is None:
            yield f"the contract {contract.name!r} offers a {word}, so {word}=... must say how it is asked"
        if function is not None and not set(HANDLES) & set(taken):
            yield f"{word}=... asks by reference, so the function must take 'reference' and send it"
    if spec.query is not None:
        known = (*spec.identity, *([HEADERS] if spec.identity_is_all else []), *HANDLES)
        for name, parameter in _taken(spec.query).items():
            if name not in known and parameter.default is inspect.Parameter.empty:
                yield f"query(...) wants {name!r}; it may want {', '.join(known)}"


def _specs(spec: ToolSpec) -> Specs:
    """The tool and its surfaces as the policy knows them."""
    schema = {"properties": {name: {} for name in spec.parameters}, "required": list(spec.parameters)}
    write = Tool(
        name=spec.name,
        kind="write",
        function=spec.function,
        description=inspect.getdoc(spec.function) or "",
        schema=schema,
        identity=spec.identity,
        idempotent=spec.idempotent,
        provisional=spec.provisional,
        versioned=(spec.name, spec.identity[0]) if CONDITION_FIELD in spec.taken and spec.identity else None,
    )
    terms = write.spec(spec.contract)
    if REFERENCE_FIELD not in _taken(spec.function):
        terms["parameters"]["properties"].pop(REFERENCE_FIELD, None)
    by_identity = {"properties": {name: {} for name in spec.identity}, "required": []}
    by_handle = {"properties": {REFERENCE_FIELD: {}}, "required": []}
    surfaces = [
        replace(write, name=spec.name + QUERY, kind="read", schema=by_identity, reveals={spec.name: lambda _: ()}),
        replace(write, name=spec.name + STATUS, kind="status", schema=by_handle),
        replace(write, name=spec.name + FENCE, kind="fence", schema=by_handle),
    ]
    offered = (spec.query, spec.status, spec.fence)
    return {
        spec.name: terms,
        **{
            tool.name: tool.spec(spec.contract)
            for tool, function in zip(surfaces, offered, strict=True)
            if function is not None
        },
    }
