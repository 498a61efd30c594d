"""Tools as ordinary Python functions, with real signature, annotations and docstring; no HTTP in between."""

import inspect
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from faultlab.core.agent import Answer, ToolError
from faultlab.core.canonical import copy_json
from faultlab.core.contract import CONDITION_FIELD, KEY_FIELD, REFERENCE_FIELD
from faultlab.core.records import Receipt
from faultlab.core.tools import Tool
from faultlab.engine.engine import Ticket
from faultlab.engine.session import Session
from faultlab.transports.begin import awaitable_here, stamp
from faultlab.transports.wait import await_receipt, wait

ACCEPTED = 202

FunctionT = TypeVar("FunctionT", bound=Callable[..., Any])


def result_of(tool: Tool, receipt: Receipt) -> Any:
    """The decoded body of a complete 2xx; anything else is a ToolError. So is a 202 where results are expected: a
    value that is returned says nothing of its status."""
    body, status = receipt.body, receipt.status
    whole = receipt.error is None and status is not None and status < 300 and type(body) is dict
    if whole and (status != ACCEPTED or tool.kind != "write" or tool.provisional):
        return copy_json(body) if not receipt.headers else Answer(copy_json(body), receipt.headers)
    raise ToolError(tool.name, receipt.outcome, receipt)


class Functions(Mapping[str, FunctionT]):
    """Name -> function. A function is made when it is first asked for: most attempts use few tools."""

    __slots__ = ("_made", "_make", "_session", "_tools")

    def __init__(self, session: Session, make: Callable[[Session, Tool], FunctionT]) -> None:
        self._session = session
        self._tools = session.engine.toolset.tools
        self._make = make
        self._made: dict[str, FunctionT] = {}

    def __getitem__(self, name: str) -> FunctionT:
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = self._make(self._session, self._tools[name])
        return made

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)


def sync_tools(session: Session) -> Functions[Callable[..., Any]]:
    """For agents that are ordinary functions."""
    return Functions(session, _sync)


def async_tools(session: Session) -> Functions[Callable[..., Awaitable[Any]]]:
    """For agents that are coroutine functions."""
    return Functions(session, _async)


def _sync(session: Session, tool: Tool) -> Callable[..., Any]:
    patience_ns = session.patience_ns
    face = face_of(tool, session)

    def call(*args: Any, **kwargs: Any) -> Any:
        return result_of(tool, wait(session, _begin(session, tool, face, args, kwargs), patience_ns))

    return dressed(call, tool, face)


def _async(session: Session, tool: Tool) -> Callable[..., Awaitable[Any]]:
    patience_ns = session.patience_ns
    face = face_of(tool, session)

    async def call(*args: Any, **kwargs: Any) -> Any:
        awaitable_here()
        ticket = _begin(session, tool, face, args, kwargs)
        return result_of(tool, await await_receipt(session, ticket, patience_ns))

    return dressed(call, tool, face)


class Face(NamedTuple):
    """How a tool looks as a Python function."""

    signature: inspect.Signature
    annotations: Mapping[str, Any]
    positional: tuple[str, ...]


def _begin(session: Session, tool: Tool, face: Face, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Ticket:
    if args:
        names = face.positional[: len(args)]
        if len(args) > len(names) or not kwargs.keys().isdisjoint(names):
            face.signature.bind(*args, **kwargs)  # raises the TypeError that Python gives for such a call
        kwargs = {**dict(zip(names, args, strict=True)), **kwargs}
    if tool.kind != "write":
        return session.begin(tool.name, kwargs)
    key, reference = kwargs.pop(KEY_FIELD, None), kwargs.pop(REFERENCE_FIELD, None)
    if_match = kwargs.pop(CONDITION_FIELD, None) if tool.versioned else None
    for field, value in ((KEY_FIELD, key), (REFERENCE_FIELD, reference), (CONDITION_FIELD, if_match)):
        if value is not None and type(value) is not str:
            raise TypeError(f"{tool.name}: {field} must be a str, not {type(value).__name__}")
    stamped = stamp(session, key)
    return session.begin(tool.name, kwargs, key=key, reference=reference, if_match=if_match, first_sent_ns=stamped)


def face_of(tool: Tool, session: Session) -> Face:
    """The tool's own parameters, then those that the contract offers, as keywords."""
    contract = session.brief.contract
    if tool.kind != "write":
        return _face(tool.function, ())
    offered = [REFERENCE_FIELD] if contract.key is None else [KEY_FIELD, REFERENCE_FIELD]
    return _face(tool.function, (*offered, CONDITION_FIELD) if tool.conditional(contract) else tuple(offered))


@lru_cache(maxsize=1024)
def _face(function: Callable[..., Any], offered: tuple[str, ...]) -> Face:
    """`inspect.signature` costs some 10 us, so it is asked once per function and not once per attempt."""
    parameters = list(inspect.signature(function, eval_str=True).parameters.values())[1:]
    positional = tuple(item.name for item in parameters if item.kind is item.POSITIONAL_OR_KEYWORD)
    parameters += [
        inspect.Parameter(field, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=str | None)
        for field in offered
    ]
    annotations = {**{item.name: item.annotation for item in parameters}, "return": dict[str, Any]}
    return Face(inspect.Signature(parameters, return_annotation=dict[str, Any]), annotations, positional)


def dressed(call: Callable[..., Any], tool: Tool, face: Face) -> Callable[..., Any]:
    """Give a closure the name, docstring, signature and annotations that agent frameworks read."""
    call.__name__ = call.__qualname__ = tool.name
    call.__doc__ = tool.description
    call.__annotations__ = dict(face.annotations)
    call.__signature__ = face.signature  # type: ignore[attr-defined]  # PEP 362: functions may carry one
    return call
