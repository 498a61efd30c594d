"""Cells made by hand, and what an attempt in one of them came to."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from faultlab.core.agent import Budget
from faultlab.core.clock import NS, ns
from faultlab.core.contract import Contract
from faultlab.core.history import Expectation, Expected, History
from faultlab.core.profiles import PROFILES
from faultlab.core.records import Call, Claim, Receipt
from faultlab.core.world import FrozenWorld
from faultlab.faults.catalog import TWINS
from faultlab.faults.plan import Plan, Planned
from faultlab.matrix.attempt import Conditions, run_attempt
from faultlab.matrix.scenario import CLEAN, Group, Scenario
from faultlab.toolsets.shop import SHOP

WORLD = FrozenWorld(
    {
        "orders": {
            "A17": {"status": "paid", "total": "40.00", "customer": "C5"},
            "B92": {"status": "paid", "total": "9.00", "customer": "C5"},
        },
        "accounts": {"C5": {"balance": "49.00"}},
    }
)
LATE_NS = ns(500)
"""When a late call lands that nothing wakes: after every budget here, and before any key is forgotten."""
BUDGET = Budget(20, 400, 24)
MUG = {"customer": "C5", "item": "mug", "quantity": 1}

ONE: Mapping[str, Any] = {"refund": ["A17"]}
TWO: Mapping[str, Any] = {"refund": ["A17", "B92"]}
EQUAL: Mapping[str, Any] = {"order": [MUG, MUG]}


def lost(phase: str, tool: str = "refund_order", occurrence: int = 1, symptom: str = "timeout") -> Planned:
    return Planned(tool, phase, symptom, occurrence, late_ns=LATE_NS, required=False)


def failing(tool: str, times: int, symptom: str = "reset") -> Plan:
    """The first `times` calls of a tool get no answer."""
    return tuple(lost("before", tool, number, symptom) for number in range(1, times + 1))


def twins(inputs: Mapping[str, Any], occurrence: int = 1) -> dict[str, Plan]:
    """One receipt is lost, and the four truths behind that."""
    tool = "place_order" if "order" in inputs else "refund_order"
    return {twin: (lost(phase, tool, occurrence),) for twin, phase in TWINS.items()}


def group(
    contract: str | Contract,
    inputs: Mapping[str, Any] = ONE,
    plans: Mapping[str, Plan] | None = None,
    budget: Budget = BUDGET,
    user: Sequence[str] = (),
) -> Group:
    """A situation under one contract. Every effect that the inputs ask for is expected once."""
    terms = PROFILES[contract] if isinstance(contract, str) else contract
    wanted = [Expected("refund_order", order) for order in inputs.get("refund", ())]
    for line in inputs.get("order", ()):
        label = f"{line['customer']}, {line['item']}"
        if label not in [item.identity for item in wanted]:
            wanted.append(Expected("place_order", label, len(inputs["order"])))
    scenario = Scenario(
        id="made-by-hand",
        suite="boundary",
        instruction="Do what the inputs say.",
        toolset=SHOP,
        world=WORLD,
        contracts=(terms,),
        twins=twins(inputs) if plans is None else plans,
        expectation=Expectation(tuple(wanted)),
        budget=budget,
        inputs=inputs,
        user=tuple(user),
    )
    return Group(scenario, terms)


class Came:
    """What an attempt came to."""

    def __init__(self, history: History) -> None:
        self.history = history
        assert history.claim is not None, history.error
        self.claim: Claim = history.claim
        self.calls = [event for event in history.events if isinstance(event, Call)]
        self.receipts = {event.call: event for event in history.events if isinstance(event, Receipt)}
        self.sends = [call for call in self.calls if call.kind == "write"]
        self.effects = [(effect.tool, effect.identity) for effect in history.ledger]

    @property
    def tools(self) -> list[str]:
        return [call.tool for call in self.calls]

    @property
    def keys(self) -> list[str | None]:
        return [call.key for call in self.sends]

    def of(self, tool: str) -> list[Call]:
        return [call for call in self.calls if call.tool == tool]

    def waits(self, tool: str) -> list[float]:
        """Seconds from the end of one call of a tool to the begin of the next call of any."""
        ends = [self.receipts[call.n].t for call in self.of(tool)]
        return [(min(call.t for call in self.calls if call.t >= end) - end) / NS for end in ends[:-1]]

    def gaps(self, tool: str) -> list[float]:
        """Seconds between the beginnings of calls of one tool."""
        return [(later.t - earlier.t) / NS for earlier, later in pairwise(self.of(tool))]


def attempt(agent: Callable[..., Any], where: Group, twin: str = CLEAN, index: int = 1) -> Came:
    history, real = run_attempt(agent, where, twin, index, Conditions(seed=5))
    assert real is None
    return Came(history)
