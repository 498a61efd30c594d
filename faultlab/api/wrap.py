"""A Python tool function behind the lab: contract, faults and recording, and outside the same function."""

import inspect
from collections.abc import Callable, Mapping
from functools import partial, wraps
from typing import Any, Literal

from faultlab.api import given
from faultlab.api.behind import awaited, failed
from faultlab.api.bridge import bridged
from faultlab.api.front import Front
from faultlab.api.front_tool import FrontTool, Identity, front_tool
from faultlab.api.given import listed
from faultlab.api.json_form import NoForm, json_form, shown
from faultlab.api.relay import Answered
from faultlab.api.session import FrontSession
from faultlab.core.actions import Reply
from faultlab.core.agent import ToolError
from faultlab.core.canonical import copy_json
from faultlab.core.contract import KEY_FIELD, REFERENCE_FIELD
from faultlab.core.errors import BadInput
from faultlab.core.tools import Shown
from faultlab.engine.engine import Ticket
from faultlab.transports.codec import Asked

NAMES: Mapping[str, str] = {
    "ConnectError": "ConnectionRefusedError",
    "ConnectTimeout": "TimeoutError",
    "ReadError": "ConnectionResetError",
    "ReadTimeout": "TimeoutError",
    "RemoteProtocolError": "ConnectionAbortedError",
}
"""What a Python function raises where an HTTP client raises its own."""

Classes = tuple[type[BaseException], ...]

HANDLES = (KEY_FIELD, REFERENCE_FIELD)

BUILTIN: Mapping[str, Callable[[], Exception]] = {
    "ConnectionRefusedError": lambda: ConnectionRefusedError(111, "Connection refused"),
    "ConnectionResetError": lambda: ConnectionResetError(104, "Connection reset by peer"),
    "ConnectionAbortedError": lambda: ConnectionAbortedError(103, "Connection closed without an answer"),
    "TimeoutError": lambda: TimeoutError("timed out"),
}


def wrapped(
    function: Callable[..., Any],
    session: Callable[[], FrontSession],
    front: Front,
    raises: Callable[[str], Callable[[], BaseException] | None],
    *,
    name: str | None = None,
    writes: bool = True,
    identity: Identity | None = None,
    idempotent: bool = False,
    reveals: Mapping[str, Shown | None] | None = None,
    refuses: type[BaseException] | Classes = (),
) -> tuple[Callable[..., Any], str]:
    """The function, and the name that it has as a tool.

    `identity`: the arguments that name its effect, or a function of all of them; without it, all. `idempotent`: called
    again with equal arguments it leaves the same state. `refuses`: the exceptions by which it says that nothing was
    done; after any other the outcome is unknown. `reveals`, for a function that reads: wrapped write -> a function from
    its value to the references of the effects it shows. Parameters named `idempotency_key` and `reference` are what the
    contract takes them for.
    """
    refuses = given.classes("wrap, refuses", refuses)
    tool = _declared(function, front, name, writes, identity, idempotent, reveals)
    signature = inspect.signature(function)

    def asked(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Asked:
        _check_shown(tool, front)
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        told = bound.arguments.items()
        values = {name: _argument(tool, name, value) for name, value in told if name not in ("self", "cls")}
        key, reference = (values.pop(field, None) if writes else None for field in HANDLES)
        return Asked(tool.name, values, key, reference)

    def through(args: tuple[Any, ...], kwargs: dict[str, Any], work: Callable[[], Answered]) -> Any:
        lab, make = session(), raises(tool.name)
        names = NAMES if make is None else dict.fromkeys(NAMES, type(make()).__name__)
        with lab.turns:
            patience = partial(_patience, lab)
            ticket, receipt = lab.asked_for(lambda: lab.exchange(asked(args, kwargs), work, patience, names))
        answer = None if ticket is None else lab.answer(ticket)
        if receipt.error is not None and not isinstance(getattr(answer, "raw", None), Exception):
            raise BUILTIN[NAMES[receipt.error]]() if make is None else make()
        if answer is None:
            raise ToolError(tool.name, receipt.outcome, receipt)
        return _given(answer.raw)

    if inspect.iscoroutinefunction(function):

        @wraps(function)
        async def acall(*args: Any, **kwargs: Any) -> Any:
            return await bridged(through, args, kwargs, lambda: awaited(_atried(function, args, kwargs, refuses)))

        return acall, tool.name

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return through(args, kwargs, lambda: _tried(function, args, kwargs, refuses))

    return call, tool.name


def _given(raw: Any) -> Any:
    """What the function returned; raises what it raised."""
    if isinstance(raw, Exception):
        raise raw
    return copy_json(raw.value)


def _patience(session: FrontSession, ticket: Ticket | None) -> int | None:
    """A function that works may take its time; only for a receipt that never comes there is an end."""
    return None if ticket is None or isinstance(ticket.delivery, Reply) else session.patience_ns


class _Value:
    """What a function returned."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def _tried(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    refuses: Classes,
) -> Answered:
    try:
        value = function(*args, **kwargs)
    except Exception as error:  # noqa: BLE001  whatever it raises is what its caller would have got
        return failed(error, refused=isinstance(error, refuses))
    return Answered(200, shown(value), {}, _Value(value))


async def _atried(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    refuses: Classes,
) -> Answered:
    try:
        value = await function(*args, **kwargs)
    except Exception as error:  # noqa: BLE001  as above
        return failed(error, refused=isinstance(error, refuses))
    return Answered(200, shown(value), {}, _Value(value))


def _declared(
    function: Callable[..., Any],
    front: Front,
    name: str | None,
    writes: bool,
    identity: Identity | None,
    idempotent: bool,
    reveals: Mapping[str, Shown | None] | None,
) -> FrontTool:
    """The function as a tool of the lab. Raises BadInput where the declaration cannot be meant."""
    if not callable(function):
        raise BadInput(f"wrap was given {function!r}, which cannot be called: give a function")
    given.a(str | None, "wrap: name", name)
    given.a(bool, "wrap: writes", writes)
    given.a(bool, "wrap: idempotent", idempotent)
    if reveals is not None:
        given.shown_by("wrap: reveals", reveals)
    called = name or str(getattr(function, "__name__", type(function).__name__))
    if called in front.toolset.tools:
        raise BadInput(f"wrap: there is a tool {called!r} already; give this one another name=")
    parameters = inspect.signature(function).parameters
    names = () if identity is None or callable(identity) else listed(f"wrap {called}: identity", identity)
    if wrong := [item for item in names if item not in parameters]:
        raise BadInput(f"wrap {called}: identity names {wrong[0]!r}, which is not one of its parameters")
    if writes and reveals:
        raise BadInput(f"wrap {called}: a function either writes or reveals; say writes=False")
    if idempotent and not writes:
        raise BadInput(f"wrap {called}: a function that only reads changes nothing; leave out idempotent=True")
    kind: Literal["read", "write"] = "write" if writes else "read"
    told = inspect.getdoc(function) or called
    tool = front_tool(called, kind, identity, idempotent=idempotent, reveals=reveals, description=told)
    front.add(tool)
    return tool


def _check_shown(tool: FrontTool, front: Front) -> None:
    """Raises BadInput where it reveals effects of what is not wrapped by its first call."""
    for target in tool.reveals:
        if target not in front.toolset.tools:
            raise BadInput(f"wrap {tool.name}: reveals names {target!r}, which is no wrapped function: wrap it first")


def _argument(tool: FrontTool, name: str, value: Any) -> Any:
    """An argument as JSON. BadInput for an object that has none, where it tells which effect is meant."""
    if not (tool.identified_by(name) or (tool.kind == "write" and name in HANDLES)):
        return shown(value)
    try:
        return json_form(value)
    except NoForm as error:
        raise BadInput(
            f"wrap {tool.name}: the argument {name!r} holds a value of type {error}, which has no JSON form, so two of"
            " them cannot be told apart; name the arguments that tell which effect is meant: identity=[...]"
        ) from None
