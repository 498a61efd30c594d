"""One caller's script over each of the six transports, and what the caller saw of it."""

import asyncio
import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from faultlab.core.agent import Budget, Crash, ToolError
from faultlab.core.clock import NS, VirtualClock, ns
from faultlab.core.contract import Contract
from faultlab.core.history import Brief, Expectation
from faultlab.core.profiles import PROFILES
from faultlab.core.tools import Toolset
from faultlab.core.world import FrozenWorld
from faultlab.engine.engine import Engine
from faultlab.engine.handles import with_contract
from faultlab.engine.session import Session
from faultlab.faults.plan import Planned
from faultlab.faults.symptoms import FUNCTION_ONLY
from faultlab.toolsets.shop import SHOP
from faultlab.transports.direct import async_tools, sync_tools

TRANSPORTS = ("direct", "direct async", "httpx", "httpx async", "httpx2", "httpx2 async")
HTTP = TRANSPORTS[2:]
FUNCTIONS = TRANSPORTS[:2]
LATE_S = 600.0
LATENCY_S = 0.05

WORLD = FrozenWorld(
    {
        "orders": {
            "A17": {"status": "paid", "total": "40.00", "customer": "C1"},
            "B92": {"status": "paid", "total": "9.00", "customer": "C2"},
        },
        "accounts": {"C1": {"balance": "100.00"}, "C2": {"balance": "50.00"}},
    }
)


@dataclass(frozen=True)
class Step:
    """One call of a script, `rest_s` after the one before it; `rest`: by the tool's REST route."""

    tool: str
    args: Mapping[str, Any] = field(default_factory=dict)
    key: str | None = None
    reference: str | None = None
    timeout_s: float | None = 5.0
    rest_s: float = 0.0
    rest: bool = False


REFUND = Step("refund_order", {"order_id": "A17", "amount": "40.00"})


class Seen(NamedTuple):
    """What the caller saw of a call, and when: everything that it can compare."""

    t: int
    status: int | None = None
    headers: tuple[tuple[bytes, bytes], ...] = ()
    body: Any = None
    error: str | None = None
    text: str = ""


def lab(
    contract: str | Contract = "none",
    *plan: Planned,
    toolset: Toolset = SHOP,
    patience_s: float = 5.0,
    world: FrozenWorld = WORLD,
) -> Session:
    """A fresh server for one attempt."""
    terms = PROFILES[contract] if isinstance(contract, str) else contract
    events: list[Any] = []
    engine = Engine(with_contract(toolset, terms), terms, world, plan, 7, events)
    brief = Brief(terms, Budget(calls=1000, seconds=1e6, cost=1e6), Expectation(), {})
    return Session(engine, VirtualClock(), brief, events, latency_s=LATENCY_S, patience_s=patience_s)


def fault(phase: str, symptom: str = "timeout", tool: str = "refund_order", **more: Any) -> Planned:
    return Planned(tool, phase, symptom, late_ns=ns(LATE_S), **more)


def shows(transport: str, symptom: str) -> bool:
    """Whether a transport can perform a symptom."""
    return symptom not in FUNCTION_ONLY or transport in FUNCTIONS


def named(name: str, tool: str = "refund_order", given: Mapping[str, Any] | None = None, **more: Any) -> Planned:
    """A fault by name."""
    return Planned(tool, name=name, given=given or {}, **more)


def play(transport: str, session: Session, script: Iterable[Step]) -> list[Seen]:
    """Run a script as one caller."""
    library, _, way = transport.partition(" ")
    if library == "direct":
        return asyncio.run(_direct_async(session, script)) if way else _direct(session, script)
    module: Any = importlib.import_module(f"faultlab.transports.{library}_transport")
    if way:
        return asyncio.run(_http_async(module, session, script))
    with module.client(session) as client:
        return [_http(session, step, lambda step=step: client.request(**request_of(session, step))) for step in script]


def drain(session: Session) -> None:
    """Let everything land that still can."""
    session.engine.catch_up(session.clock.now() + ns(2 * LATE_S))


def _arguments(session: Session, step: Step) -> dict[str, Any]:
    assert step.timeout_s is not None
    session.patience_ns = ns(step.timeout_s)
    handles = {"idempotency_key": step.key, "reference": step.reference}
    return {**step.args, **{name: value for name, value in handles.items() if value is not None}}


def _told(session: Session, call: Callable[[], Any]) -> Seen:
    try:
        body = call()
    except Crash:
        return _restarted(session)
    except ToolError as error:
        receipt = error.receipt
        headers = tuple((name.encode(), value.encode()) for name, value in receipt.headers.items())
        return Seen(session.clock.now(), receipt.status, headers, receipt.body, receipt.error, str(error))
    return Seen(session.clock.now(), 200, (), body)


def _restarted(session: Session) -> Seen:
    """The caller's process is dead; the same script goes on in a new one."""
    died = session.clock.now()
    session.revive()
    return Seen(died, error="Crash")


def _direct(session: Session, script: Iterable[Step]) -> list[Seen]:
    seen = []
    for step in script:
        session.clock.sleep(step.rest_s)
        arguments = _arguments(session, step)
        seen.append(_told(session, lambda step=step, given=arguments: sync_tools(session)[step.tool](**given)))
    return seen


async def _direct_async(session: Session, script: Iterable[Step]) -> list[Seen]:
    seen = []
    for step in script:
        await session.clock.asleep(step.rest_s)
        arguments = _arguments(session, step)  # sets the patience that a function is made with
        task = asyncio.create_task(_awaited(async_tools(session)[step.tool], arguments))
        await asyncio.wait([task])
        seen.append(_told(session, task.result))
    return seen


async def _awaited(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    return await function(**arguments)


def request_of(session: Session, step: Step) -> dict[str, Any]:
    """The keyword arguments of `client.request`."""
    session.clock.sleep(step.rest_s)
    headers = {} if step.key is None else {"Idempotency-Key": step.key}
    body = dict(step.args) if step.reference is None else {**step.args, "reference": step.reference}
    request: dict[str, Any] = {"headers": headers, "timeout": step.timeout_s}
    route = session.engine.toolset.tools[step.tool].route if step.rest else None
    if route is None:
        return {**request, "method": "POST", "url": f"/tools/{step.tool}", "json": body}
    method, path = route
    for name in [name for name in body if f"{{{name}}}" in path]:
        path = path.replace(f"{{{name}}}", str(body.pop(name)))
    return {**request, "method": method, "url": path, ("json" if method in ("POST", "PUT") else "params"): body}


def _http(session: Session, step: Step, send: Callable[[], Any]) -> Seen:
    try:
        response = send()
    except Crash:
        return _restarted(session)
    except Exception as error:  # noqa: BLE001  # what it is stands in the result, and is compared
        return Seen(session.clock.now(), error=type(error).__name__, text=str(error))
    return Seen(session.clock.now(), response.status_code, tuple(response.headers.raw), response.content)


async def _http_async(module: Any, session: Session, script: Iterable[Step]) -> list[Seen]:
    seen = []
    async with module.aclient(session) as client:
        for step in script:
            task = asyncio.create_task(client.request(**request_of(session, step)))
            await asyncio.wait([task])
            seen.append(_http(session, step, task.result))
    return seen


def seconds(seen: Seen) -> float:
    return seen.t / NS
