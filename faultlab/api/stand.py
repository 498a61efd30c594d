"""What a lab stands in front of, and the session of all calls that go through it. The session is made on first use."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from faultlab.api import given
from faultlab.api.behind import Behind, behind
from faultlab.api.callers_clock import CallersClock
from faultlab.api.ending import brief_of
from faultlab.api.fault_spec import FaultSpec, check_shown, plan_of
from faultlab.api.front import Front
from faultlab.api.over_http import HOST, async_transport, transport
from faultlab.api.relay import RelayEngine
from faultlab.api.respx_mount import Mounted, is_router
from faultlab.api.session import FrontSession
from faultlab.core.agent import Budget
from faultlab.core.clock import RealClock, ns
from faultlab.core.contract import Contract
from faultlab.core.errors import BadInput
from faultlab.core.history import Brief
from faultlab.core.profiles import contract_of
from faultlab.core.tools import Toolset
from faultlab.core.world import FrozenWorld
from faultlab.engine.engine import Engine
from faultlab.engine.handles import with_contract
from faultlab.engine.session import Session
from faultlab.faults.plan import Plan
from faultlab.transports.http_library import BASE_URL

if TYPE_CHECKING:
    from faultlab.api.on_wire import Port

LATENCY_S = {"virtual": 0.05, "real": 0.001}
UNLIMITED = Budget(1_000, 1e6, 1e6)
"""Where none is stated; a caller that calls a thousand times is stopped."""

Terms = str | Contract | Mapping[str, Any]


def terms_of(contract: Terms) -> Contract:
    """A contract by name, as it is, or by its parameters. Raises BadInput for one that there is not."""
    if isinstance(contract, Contract):
        return contract
    if isinstance(contract, str):
        return contract_of(contract)
    if not isinstance(contract, Mapping):
        raise BadInput(f"contract={contract!r}: give a profile's name ('none' promises nothing) or a mapping")
    given.terms_fit(contract)
    return contract_of(str(contract.get("profile", "none")), contract)


class Stand:
    """The place of one lab."""

    def __init__(
        self,
        seed: int,
        contract: Contract,
        twin: str,
        faults: Iterable[FaultSpec],
        budget: Budget | None,
        clock: CallersClock,
        latency_s: float,
    ) -> None:
        self.seed = seed
        self.contract = contract
        self.twin = twin
        self.faults = list(faults)
        self.budget = budget
        self.clock = clock
        self._latency_s = latency_s
        self._behind: Behind | None = None
        self._toolset: Toolset | None = None
        self._world: Mapping[str, Any] = {}
        self.at_most: dict[str, int] = {}
        self._front: Front | None = None
        self._session: Session | None = None
        self._port: Port | None = None

    def before(
        self,
        target: Any,
        contract: Contract | None,
        world: Mapping[str, Any] | None,
        at_most: Mapping[str, int] | None,
        **options: Any,
    ) -> None:
        """Take the place in front of `target`."""
        if self._behind is not None or self._toolset is not None:
            raise BadInput("this lab already stands in front of something; make a second Lab for a second app")
        if at_most is not None:
            given.counts("at_most", at_most)
        if contract is not None:
            self.unsettled("contract")
            self.contract = contract
        if isinstance(target, Toolset):
            _only_a_toolsets(target, at_most or {}, options)
            if world is not None:
                given.tables("world", world)
            self._toolset, self._world = target, world or {}
        else:
            self.unsettled("app")
            if world is not None:
                raise BadInput(f"world= is the tables of a Toolset; {type(target).__name__} has its own: leave it out")
            front = Front(self.contract, **options)
            for route in at_most or {}:
                front.gather(route)
            self._gathered(front)
            self._behind = Mounted(target, self.front_session) if is_router(target) else behind(target)
            self._front = front
            for fault in self.faults:
                check_shown(fault)
        self.at_most |= at_most or {}

    def plan(self, fault: FaultSpec) -> None:
        """One fault more."""
        if self._session is not None:
            raise BadInput("the faults of a lab are settled before anything is called")
        if self._behind is not None:
            check_shown(fault)
        if self._front is not None and " " in fault.on:
            self._front.gather(fault.on)
        self.faults.append(fault)

    def _gathered(self, front: Front) -> Front:
        """It knows the routes that faults strike."""
        for fault in self.faults:
            if " " in fault.on:
                front.gather(fault.on)
        return front

    def unsettled(self, what: str) -> None:
        """Raises BadInput where it is too late for a change."""
        if self._session is not None or self._front is not None:
            raise BadInput(f"the {what} of a lab is settled before anything is called or wrapped")

    def raises(self, tool: str) -> Callable[[], BaseException] | None:
        """What a wrapped function raises by the faults that are planned for it."""
        found = ((item.name, item.raises) for item in self.faults if item.on == tool and item.raises is not None)
        return next((partial(given.an_exception, f"{name}: raises", make) for name, make in found), None)

    @property
    def session(self) -> Session:
        if self._session is None:
            self._session = self.front_session() if self._toolset is None else self._tool_session(self._toolset)
        return self._session

    def front(self) -> Front:
        """Routes and functions that are executed behind the lab."""
        if self._toolset is not None:
            raise BadInput("this lab stands in front of a Toolset; its functions are lab.tools[...]")
        if self._front is None:
            self._front = self._gathered(Front(self.contract))
        return self._front

    def front_session(self) -> FrontSession:
        """The session of a lab in front of an app or of functions."""
        if isinstance(self._session, FrontSession):
            return self._session
        front = self.front()
        events: list[Any] = []
        plan = plan_of(tuple(self.faults), self.twin, self.contract, None)
        engine = RelayEngine(front, self.contract, plan, self.seed, events, self.clock)
        made = FrontSession(front, engine, self.clock, self._brief(plan), events, latency_s=self._latency_s)
        self._session = made
        return made

    def _tool_session(self, toolset: Toolset) -> Session:
        tools = with_contract(toolset, self.contract)
        events: list[Any] = []
        plan = plan_of(tuple(self.faults), self.twin, self.contract, tools)
        engine = Engine(tools, self.contract, FrozenWorld(self._world), plan, self.seed, events)
        return Session(engine, self.clock, self._brief(plan), events, latency_s=self._latency_s)

    def _brief(self, plan: Plan) -> Brief:
        """Before anything was called: what is wanted shows when it is over."""
        return brief_of(self.contract, plan, {}, (), (), self.budget or UNLIMITED, self.at_most)

    def transport(self, library: str, *, is_async: bool) -> Any:
        """A transport of httpx or httpx2. Raises BadInput where nothing stands behind the lab."""
        if self._toolset is not None:
            module = import_module(f"faultlab.transports.{library}_transport")
            return (module.AsyncLabTransport if is_async else module.LabTransport)(self.session)
        if self._behind is None:
            raise BadInput("this lab has no app behind it: call lab.in_front_of(app) before lab.client()")
        return (async_transport if is_async else transport)(library, self.front_session, self._behind)

    def client(self, library: str, options: Mapping[str, Any], *, is_async: bool) -> Any:
        """A client of httpx or httpx2 with that transport."""
        through = self.transport(library, is_async=is_async)
        base_url = HOST if self._toolset is None else BASE_URL
        kind = "AsyncClient" if is_async else "Client"
        return getattr(import_module(library), kind)(**{"transport": through, "base_url": base_url, **options})

    # On a socket.

    def url(self, *, running: bool) -> str:
        """Where it listens. Raises BadInput where it is too late for real time, or nothing stands behind the lab."""
        if self._port is None:
            self._port = self._listen(running)
        return self._port.url

    def _listen(self, running: bool) -> "Port":
        if self._toolset is None and self._behind is None:
            raise BadInput("this lab has no app behind it: call lab.in_front_of(app) before lab.url")
        try:
            from faultlab.api.on_wire import Port
        except ModuleNotFoundError as missing:
            raise BadInput(f"lab.url needs the package {missing.name}: pip install 'faultlab[serve]'") from None
        self._be_real(running)
        mounted = self._behind if isinstance(self._behind, Mounted) else None
        return Port(self.session, self._behind, self.clock.turns, lambda: None if mounted is None else mounted.origin)

    def _be_real(self, running: bool) -> None:
        """A socket lives in real time: so does the lab, from now on."""
        if self.clock.is_real:
            return
        if running or (self._session is not None and self._session.count > 0):
            raise BadInput(
                "lab.url needs the real clock, and this lab's virtual one is in use:"
                ' ask for lab.url before the first call, or make the lab with Lab(clock="real")'
            )
        self.clock.go_on(RealClock())
        self._latency_s = LATENCY_S["real"]
        if self._session is not None:
            self._session.latency_ns = ns(self._latency_s)

    @property
    def misuse(self) -> BadInput | None:
        """A mistake of the test's author that a call has found, whoever caught it."""
        broken = None if self._session is None else self._session.engine.server.broken
        return broken if isinstance(broken, BadInput) else None

    def settle(self) -> None:
        """Take notice of what callers over the socket have done."""
        if self._port is not None:
            self._port.settle()

    def close(self) -> None:
        """Close the socket, if there is one."""
        if self._port is not None:
            self._port.settle()
            self._port.close()
            self._port = None


def _only_a_toolsets(toolset: Toolset, at_most: Mapping[str, int], options: Mapping[str, Any]) -> None:
    """Raises BadInput for what nothing would heed: a toolset's tools declare themselves."""
    for name in at_most:
        if name not in toolset.tools:
            raise BadInput(f"at_most names {name!r}, which is no tool of {toolset.name}: {', '.join(toolset.tools)}")
    for name in ("identity", "effects", "reveals", "idempotent"):
        if options[name]:
            raise BadInput(f"{name}= is for an app; the tools of the Toolset {toolset.name} say it themselves")
