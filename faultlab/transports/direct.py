"""Tools as ordinary Python functions, with real signature, annotations and docstring; no HTTP objects in between."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from faultlab.core.agent import ToolError
from faultlab.core.canonical import copy_json
from faultlab.core.contract import KEY_FIELD, REFERENCE_FIELD
from faultlab.core.records import Receipt
from faultlab.core.tools import Tool
from faultlab.engine.engine import Ticket
from faultlab.engine.session import Session
from faultlab.transports.wait import await_receipt, wait


def result_of(tool: str, receipt: Receipt) -> Any:
    """The decoded body of a complete 2xx; anything else is a ToolError."""
    if receipt.error is None and receipt.status is not None and receipt.status < 300 and type(receipt.body) is dict:
        return copy_json(receipt.body)
    raise ToolError(tool, receipt.outcome, receipt)


def sync_tools(session: Session) -> dict[str, Callable[..., Any]]:
    """Name -> function, for agents that are ordinary functions."""
    return {name: _sync(session, tool) for name, tool in session.engine.toolset.tools.items()}


def async_tools(session: Session) -> dict[str, Callable[..., Awaitable[Any]]]:
    """Name -> coroutine function."""
    return {name: _async(session, tool) for name, tool in session.engine.toolset.tools.items()}


def _sync(session: Session, tool: Tool) -> Callable[..., Any]:
    name, patience_ns = tool.name, session.patience_ns
    signature = signature_of(tool, session)

    def call(*args: Any, **kwargs: Any) -> Any:
        return result_of(name, wait(session, _begin(session, tool, signature, args, kwargs), patience_ns))

    return dressed(call, tool, signature)


def _async(session: Session, tool: Tool) -> Callable[..., Awaitable[Any]]:
    name, patience_ns = tool.name, session.patience_ns
    signature = signature_of(tool, session)

    async def call(*args: Any, **kwargs: Any) -> Any:
        ticket = _begin(session, tool, signature, args, kwargs)
        return result_of(name, await await_receipt(session, ticket, patience_ns))

    return dressed(call, tool, signature)


def _begin(
    session: Session, tool: Tool, signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Ticket:
    if args or "if_match" in kwargs:
        kwargs = dict(signature.bind(*args, **kwargs).arguments)
    if tool.kind != "write":
        return session.begin(tool.name, kwargs)
    if_match = kwargs.pop("if_match", None)
    key, reference = kwargs.pop(KEY_FIELD, None), kwargs.pop(REFERENCE_FIELD, None)
    return session.begin(tool.name, kwargs, key=key, reference=reference, if_match=if_match)


def signature_of(tool: Tool, session: Session) -> inspect.Signature:
    """The tool's own parameters, then those that the contract offers, as keywords."""
    parameters = list(inspect.signature(tool.function, eval_str=True).parameters.values())[1:]
    if tool.kind == "write":
        offered = [REFERENCE_FIELD] if session.brief.contract.key is None else [KEY_FIELD, REFERENCE_FIELD]
        for field in offered:
            parameters.append(
                inspect.Parameter(field, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=str | None)
            )
    return inspect.Signature(parameters, return_annotation=dict[str, Any])


def dressed(call: Callable[..., Any], tool: Tool, signature: inspect.Signature) -> Callable[..., Any]:
    """Give a closure the name, docstring, signature and annotations that agent frameworks read."""
    call.__name__ = call.__qualname__ = tool.name
    call.__doc__ = tool.description
    annotations: Mapping[str, Any] = {item.name: item.annotation for item in signature.parameters.values()}
    call.__annotations__ = {**annotations, "return": dict[str, Any]}
    call.__signature__ = signature  # type: ignore[attr-defined]  # PEP 362: functions may carry one
    return call
