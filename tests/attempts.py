"""Random attempts on the real engine, for laws that hold whatever an agent does.

An attempt is drawn as a contract, a plan and a list of moves. Moves that no agent would mean are part of it.
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from hypothesis import strategies as st

from faultlab.core.agent import Budget, ToolError
from faultlab.core.clock import NS, VirtualClock, ns
from faultlab.core.contract import Contract, KeyRules
from faultlab.core.history import Brief, Expectation, Expected, History, WriteTerms
from faultlab.core.knowledge import Knowledge
from faultlab.core.profiles import PROFILES
from faultlab.core.records import Call, Claim, Effect, Event
from faultlab.core.world import FrozenWorld
from faultlab.engine.engine import Engine
from faultlab.engine.handles import with_contract
from faultlab.engine.session import Session
from faultlab.faults.plan import Planned
from faultlab.toolsets.shop import SHOP
from faultlab.transports.direct import sync_tools

WORLD = FrozenWorld(
    {
        "orders": {"A17": {"status": "paid", "total": "40.00", "customer": "C5"}},
        "accounts": {"C5": {"balance": "100.00"}},
    }
)
DAY_S = 86_400
LOSSES = ("timeout", "reset", "close", "status", "truncated", "garbled", "short")
PHASES = ("before", "after", "late_network", "late_server")

sends = st.fixed_dictionaries(
    {"amount": st.sampled_from(["40.00", "40.00", "10.00", "99.00"])},
    optional={
        "idempotency_key": st.sampled_from(["h1", "h1", "h2", "h3"]),
        "reference": st.sampled_from(["h1", "h1", "h2", "r1", "r1", "r2"]),
    },
).map(lambda given: ("send", given))
asks = st.tuples(st.sampled_from(["status", "fence"]), st.sampled_from(["h1", "h1", "h2", "r1", "r1", "r2"]))
moves = st.lists(
    st.one_of(
        sends,
        sends,
        asks,
        st.tuples(st.sampled_from(["list", "order"]), st.none()),
        st.tuples(st.just("sleep"), st.sampled_from([0.2, 1, 5, 25, 31, 700, DAY_S - 10, DAY_S])),
    ),
    min_size=2,
    max_size=14,
)
faults = st.fixed_dictionaries(
    {
        "phase": st.sampled_from(PHASES),
        "symptom": st.sampled_from(LOSSES),
        "late_ns": st.sampled_from([0, NS, 10 * NS, 600 * NS]),
        "wake": st.booleans(),
    }
)
on_writes = st.lists(st.none() | faults, max_size=4).map(
    lambda drawn: [Planned("refund_order", occurrence=n, **item) for n, item in enumerate(drawn, 1) if item]
)
QUERIES = ("operation_status", "cancel_operation", "list_refunds", "get_order")
on_reads = st.lists(st.tuples(st.sampled_from(QUERIES), faults), max_size=2).map(
    lambda drawn: [Planned(name, **item) for name, item in drawn]
)
plans = st.tuples(on_writes, on_reads).map(lambda parts: (*parts[0], *parts[1]))
"""Any of the first four writes may lose its receipt, and some of the queries."""
profiles = st.sampled_from(sorted(PROFILES)).map(PROFILES.__getitem__)
mixtures = st.builds(
    Contract,
    name=st.just("mixture"),
    key=st.none()
    | st.builds(
        KeyRules,
        on_expired=st.sampled_from(["execute", "reject"]),
        replay_header=st.sampled_from([None, "Idempotent-Replayed"]),
        save_4xx=st.booleans(),
        save_5xx=st.booleans(),
    ),
    status=st.booleans(),
    fence=st.sampled_from([None, "durable", "cooperative"]),
    settle_s=st.sampled_from([None, 30.0]),
    consistent_reads=st.booleans(),
    undisclosed=st.frozensets(st.sampled_from(["key", "key.window_s", "settle_s", "status", "fence"]), max_size=1),
)
contracts = profiles | mixtures


class Attempt:
    """A session whose every event is folded as it happens, and whose every write is judged before it is sent."""

    def __init__(self, contract: Contract, plan: tuple[Planned, ...], intended: int = 1) -> None:
        if contract.settle_s is not None:
            plan = tuple(
                Planned(
                    item.tool,
                    item.phase,
                    item.symptom,
                    item.occurrence,
                    late_ns=min(item.late_ns, int(contract.settle_s) * NS),
                    wake=item.wake,
                )
                for item in plan
            )
        self.contract = contract.disclosed()
        self.events: list[Event] = []
        engine = Engine(with_contract(SHOP, contract), contract, WORLD, plan, 7, self.events)
        expectation = Expectation((Expected("refund_order", "A17", intended),))
        terms = WriteTerms(("order_id",), reverses=None, queryable=True)
        brief = Brief(contract, Budget(10_000, 1e9, 1e9), expectation, {"refund_order": terms})
        self.session = Session(engine, VirtualClock(), brief, self.events)
        self.tools = sync_tools(self.session)
        self.knowledge = Knowledge(self.contract, expectation.intended)
        self.folded = 0

    def fold(self) -> None:
        for item in self.events[self.folded :]:
            self.knowledge.see(item)
        self.folded = len(self.events)

    def call(self, name: str, **args: Any) -> None:
        with suppress(ToolError):
            self.tools[name](**args)

    def coming(self, given: dict[str, str]) -> Call:
        """The call as it would go out now."""
        return Call(
            self.session.count + 1,
            self.session.clock.now(),
            "refund_order",
            "write",
            {"order_id": "A17", "amount": given["amount"]},
            "A17",
            given.get("idempotency_key"),
            given.get("reference"),
        )

    def play(self, move: tuple[str, Any], may_send: Callable[["Attempt", Call], bool]) -> None:
        kind, given = move
        self.fold()
        if kind == "send":
            if may_send(self, self.coming(given)):
                self.call("refund_order", order_id="A17", **given)
        elif kind == "sleep":
            self.session.clock.sleep(given)
        elif kind == "list":
            self.call("list_refunds", order_id="A17")
        elif kind == "order":
            self.call("get_order", order_id="A17")
        else:
            name = "operation_status" if kind == "status" else "cancel_operation"
            if name in self.tools:
                self.call(name, reference=given)

    def history(self, claim: Claim | None = None) -> History:
        """All of it, as it would be judged."""
        self.drain()
        if claim is not None:
            self.events.append(claim._replace(t=self.session.clock.now()))
        engine, end = self.session.engine, "claimed" if claim is not None else "crashed"
        facts = engine.facts({"orders/A17/status": "refunded"})
        return History(self.session.brief, self.events, list(engine.ledger), end, facts, "", ("a.example",), 9)

    def effects(self) -> list[Effect]:
        """Without those of requests that left inside their key's window and that the network held until it was over:
        no choice of moves rules that out, and the rules book them to the server."""
        rules, calls = self.contract.key, {call.n: call for item in self.knowledge.operations for call in item.calls}
        if rules is None or rules.window_s is None:
            return list(self.session.engine.ledger)

        def outlived(effect: Effect) -> bool:
            call = calls[effect.call]
            first = min(item.t for item in calls.values() if item.key == call.key)
            return call.key is not None and call.t - first < ns(rules.window_s) <= effect.t - first

        return [effect for effect in self.session.engine.ledger if not outlived(effect)]

    def drain(self) -> None:
        self.session.engine.catch_up(self.session.clock.now() + 1_000 * NS)
        self.fold()
