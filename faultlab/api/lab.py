"""`faultlab.Lab`: contract, faults, ledger and rules in front of what is already there."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from faultlab.api import given
from faultlab.api.course import Course, NeverEnded
from faultlab.api.ending import brief_of
from faultlab.api.failure import WIDTH, failure_text
from faultlab.api.fault_spec import FaultSpec, asked, known_twin
from faultlab.api.front_tool import Identity
from faultlab.api.program import start_of
from faultlab.api.running import clock_of
from faultlab.api.stand import LATENCY_S, UNLIMITED, Stand, Terms, terms_of
from faultlab.api.wrap import wrapped
from faultlab.core.agent import Budget
from faultlab.core.contract import Contract
from faultlab.core.errors import BadInput
from faultlab.core.history import History
from faultlab.core.records import Effect
from faultlab.core.tools import Shown, Toolset
from faultlab.core.verdict import Verdict
from faultlab.report.timeline import timeline_of
from faultlab.report.timeline_text import timeline_lines
from faultlab.rules.judge import judge
from faultlab.transports.direct import async_tools, sync_tools


class Lab:
    """One test's lab: put it in front of something, run code against it, and ask whether that was clean.

    `contract`: a profile's name, a Contract, or a mapping of parameters (`{"profile": "none", "settle_s": 30}`).
    `twin`: what is true where a receipt is lost: never, committed, late_network, late_server, late, or clean for no
    fault at all. `clock`: virtual (no wait takes time) or real. `budget`: without one, nobody is charged for giving
    up early or for calling often. Raises BadInput for a contract, twin or clock that there is not.
    """

    def __init__(
        self,
        *,
        seed: int = 0,
        contract: Terms = "none",
        faults: Iterable[FaultSpec] = (),
        twin: str = "committed",
        toolset: Toolset | None = None,
        clock: str = "virtual",
        budget: Budget | None = None,
    ) -> None:
        if not isinstance(contract, str | Contract | Mapping):
            raise BadInput(f"Lab(contract={contract!r}): give a profile's name ('none' promises nothing) or a mapping")
        given.a(int, "Lab: seed", seed)
        given.budget_fits(budget)
        callers = clock_of(clock)
        self._stand = Stand(
            seed,
            terms_of(contract),
            known_twin(twin),
            given.all_of(FaultSpec, "Lab: faults", faults, "FaultSpecs"),
            budget,
            callers,
            LATENCY_S[clock],
        )
        self._course = Course(self._stand)
        self.replay = ""
        """The command that makes this again, for the text of a failure; empty: how to make the same lab."""
        if toolset is not None:
            self.in_front_of(toolset)

    @property
    def seed(self) -> int:
        """What ids are made of."""
        return self._stand.seed

    @property
    def contract(self) -> Contract:
        """What is promised to callers."""
        return self._stand.contract

    @property
    def twin(self) -> str:
        """Which truth holds where a receipt is lost."""
        return self._stand.twin

    # What stands behind it.

    def in_front_of(
        self,
        target: Any,
        *,
        identity: Identity | None = None,
        effects: Mapping[str, Identity | None] | Iterable[str] | None = None,
        reveals: Mapping[str, Mapping[str, Shown | None]] | None = None,
        idempotent: Iterable[str] = (),
        reference: str = "reference",
        at_most: Mapping[str, int] | None = None,
        contract: Terms | None = None,
        world: Mapping[str, Any] | None = None,
    ) -> "Lab":
        """Stand before an ASGI app, a transport of httpx or httpx2 (MockTransport too), a respx router or a Toolset.

        `effects`: the routes that change something (`POST /v1/refunds`, `POST /v1/orders/{id}/refunds`), as a list or
        with the identity of each; without it every POST, PUT, PATCH and DELETE does. `identity`: which arguments
        (members of the body, parameters of path and query) name an effect, or a function of them; without it, all.
        `reveals`: read route -> effect route -> a function from its body to the references of the effects it shows.
        `idempotent`: the routes that leave the same state when an equal request comes again (`PUT /v1/pages/{id}`).
        `reference`: the member of a body that is the client's own mark. `at_most`: route or tool -> how many equal
        effects are intended, each under a key or reference of its own; else one. `world`: the tables of a Toolset.
        Raises BadInput for anything else, and where the lab stands before something already.
        """
        terms = None if contract is None else terms_of(contract)
        said = {"identity": identity, "effects": effects, "reveals": reveals, "idempotent": idempotent}
        self._stand.before(target, terms, world, at_most, **said, reference=reference)
        return self

    def fault(self, name: str, *, on: str = "", tool: str = "", **more: Any) -> "Lab":
        """Plan one fault: `lab.fault("lost_receipt", on="POST /v1/refunds")`, or `tool="refund_order"`.

        More: symptom, occurrence, match, required, example, raises; see `FaultSpec`. Raises BadInput after a call, and
        for what cannot be meant.
        """
        self._stand.plan(asked(name, on, tool, more))
        return self

    def wrap(self, function: Callable[..., Any], *, at_most: int = 1, **options: Any) -> Callable[..., Any]:
        """A Python tool function with contract, faults and recording; same signature and docstring, sync or async.

        `at_most`: how many equal effects are intended, each under a key or reference of its own.
        More options: name, writes, identity, idempotent, reveals, refuses; see `faultlab.api.wrap.wrapped`.
        """
        given.at_least(1, "wrap: at_most", at_most)
        stand = self._stand
        made, tool = wrapped(function, stand.front_session, stand.front(), stand.raises, **options)
        stand.at_most[tool] = at_most
        return made

    # How callers reach it.

    def transport(self) -> Any:
        """For `httpx.Client(transport=...)`."""
        return self._stand.transport("httpx", is_async=False)

    def async_transport(self) -> Any:
        """For `httpx.AsyncClient(transport=...)`."""
        return self._stand.transport("httpx", is_async=True)

    def client(self, **options: Any) -> Any:
        """An `httpx.Client` whose every request goes to the lab."""
        return self._stand.client("httpx", options, is_async=False)

    def async_client(self, **options: Any) -> Any:
        """An `httpx.AsyncClient` whose every request goes to the lab."""
        return self._stand.client("httpx", options, is_async=True)

    def client2(self, **options: Any) -> Any:
        """An `httpx2.Client` whose every request goes to the lab."""
        return self._stand.client("httpx2", options, is_async=False)

    def async_client2(self, **options: Any) -> Any:
        """An `httpx2.AsyncClient` whose every request goes to the lab."""
        return self._stand.client("httpx2", options, is_async=True)

    @property
    def url(self) -> str:
        """A base URL on loopback: a real socket, opened on first use, for callers that take nothing else.

        The lab then lives in real time; `close` (or `with Lab(...) as lab`) ends it. Raises BadInput where the virtual
        clock is in use already, and where the extra `serve` is not installed.
        """
        return self._stand.url(running=self._course.running)

    def close(self) -> None:
        """Close the socket behind `url`; the record stays. Without one there is nothing to close."""
        self._stand.close()

    def __enter__(self) -> "Lab":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def tools(self) -> Mapping[str, Callable[..., Any]]:
        """The tools of a Toolset, and the queries that the contract offers, as ordinary functions."""
        return sync_tools(self._stand.session)

    @property
    def async_tools(self) -> Mapping[str, Callable[..., Any]]:
        """The same as coroutine functions."""
        return async_tools(self._stand.session)

    # Running and judging.

    def run(
        self,
        function: Callable[..., Any],
        *args: Any,
        hands_over: type[BaseException] | tuple[type[BaseException], ...] = (),
        **kwargs: Any,
    ) -> Any:
        """Call it, and take what it does for its claim: its value, or None where an exception came out (`raised`).

        Returning says done; a Claim that is returned speaks for itself. An exception says handed over if its class is
        in `hands_over`, else unknown if the outcome of one of its operations is, else not done. A coroutine function
        runs on a loop of its own; inside a running loop the result is awaited: `await lab.run(...)`.
        Raises AssertionError for a function that never ends, and passes its own AssertionError on. Raises BadInput for
        what is no function, arguments that do not fit it, a generator, a coroutine that blocks its loop, and once more
        for a mistake in the test that a call has found, where the function caught that.
        """
        __tracebackhide__ = True
        classes = given.classes("lab.run, hands_over", hands_over)
        try:
            return self._course.run(start_of(function, args, kwargs), classes)
        except NeverEnded as error:
            raise AssertionError(self._failure(self.history)) from error

    @property
    def raised(self) -> Exception | None:
        """What came out of the last run instead of a value."""
        return self._course.raised

    @property
    def misuse(self) -> BadInput | None:
        """A mistake in the test that a call has found, and told to code that caught it. Such a lab is never clean."""
        return self._course.misuse

    @property
    def ledger(self) -> list[Effect]:
        """What really happened, whether anybody heard of it or not. After a run: what came late too."""
        if not self._course.running:
            self._course.land()
        return list(self._stand.session.engine.ledger)

    @property
    def history(self) -> History:
        """Everything in order, as a judge reads it."""
        horizon_ns = self._course.land()
        stand, course, session = self._stand, self._course, self._stand.session
        engine = session.engine
        budget = UNLIMITED if stand.budget is None and course.end == "over_budget" else stand.budget
        tools = engine.toolset.tools
        brief = brief_of(stand.contract, engine.plan, tools, session.events, engine.ledger, budget, stand.at_most)
        events = [*session.events, *([] if course.claim is None else [course.claim])]
        end, error = course.end, course.error
        if engine.server.broken is not None:
            end, error = "toolset_failed", repr(engine.server.broken)
        hosts = tuple(session.refused_hosts)
        return History(brief, events, list(engine.ledger), end, {}, error, hosts, horizon_ns)

    def verdict(self) -> Verdict:
        """By all rules."""
        return judge(self.history)

    def timeline(self, width: int = WIDTH) -> str:
        """What the caller did and got, what the server did, and what is in the ledger."""
        given.at_least(1, "timeline: width", width)
        return "\n".join(line.plain.rstrip() for line in timeline_lines(timeline_of(self.history), width))

    def assert_clean(self) -> None:
        """Each operation at most once, every claim true, nothing resent while unknown. Raises AssertionError."""
        __tracebackhide__ = True
        history = self.history
        if judge(history).verdict != "pass":
            raise AssertionError(self._failure(history))

    def _failure(self, history: History) -> str:
        return failure_text(history, judge(history), self.replay or repr(self))

    def __repr__(self) -> str:
        return f"Lab(seed={self.seed}, twin={self.twin!r}, contract={self.contract.name!r})"
