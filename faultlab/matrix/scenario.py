"""A scenario as loaded: what is asked, of which server, under which contracts, with which faults."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

from faultlab.core.agent import Budget
from faultlab.core.clock import ns
from faultlab.core.contract import Contract
from faultlab.core.history import Brief, Expectation, WriteTerms
from faultlab.core.records import Status
from faultlab.core.tools import Toolset
from faultlab.core.world import FrozenWorld
from faultlab.engine.handles import with_contract
from faultlab.faults.plan import Plan, Planned
from faultlab.matrix.prior import Prior

Suite = Literal["boundary", "natural", "broken_promise"]
SETTLED = 0.99
"""What part of the settle time may pass before a late request lands."""
CLEAN = "clean"
"""The cell of every group in which nothing goes wrong."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A finding that the scenario's owner accepts for a time. Never a veto."""

    code: str
    reason: str
    until: str
    """ISO date; after it the finding counts again."""


class Saying(NamedTuple):
    """One turn of the user that takes a fact back."""

    say: str
    retracts: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scenario:
    """One file of scenarios/, checked."""

    id: str
    suite: Suite
    instruction: str
    toolset: Toolset
    world: FrozenWorld
    contracts: tuple[Contract, ...]
    twins: Mapping[str, Plan]
    """Twin -> its faults. Without a fault: empty, and only the clean cell is run."""
    worlds: Mapping[str, FrozenWorld] = field(default_factory=dict)
    """Twin -> its world at the start, where it is another than `world`."""
    expectation: Expectation
    expectations: Mapping[str, Expectation] = field(default_factory=dict)
    """Twin -> what must be true at its end, where that is something else."""
    budget: Budget
    inputs: Mapping[str, Any] = field(default_factory=dict)
    goals: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    """Tool and arguments of each wanted effect, those that the file gives; an effect wanted twice stands twice."""
    user: tuple[str | Saying, ...] = ()
    """One fact a turn, given when asked."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """What the agent's notes hold at the start."""
    prior: Prior = ()
    """What happened before, in every cell of the group."""
    priors: Mapping[str, Prior] = field(default_factory=dict)
    """Twin -> what happened before in it, beside `prior`."""
    accept: tuple[Status, ...] = ()
    authority: tuple[str, ...] | None = None
    """The write tools that the task permits; None: it does not limit them."""
    late_at_most_s: float = 0.0
    ignore: tuple[Accepted, ...] = ()
    file: Path | None = None

    def groups(self) -> list["Group"]:
        return [Group(self, contract) for contract in self.contracts]


@dataclass(frozen=True, eq=False)
class Group:
    """All twins of a situation under one contract, and the clean run. What every attempt shares is made once."""

    scenario: Scenario
    contract: Contract

    @property
    def twins(self) -> tuple[str, ...]:
        return (CLEAN, *self.scenario.twins)

    @cached_property
    def toolset(self) -> Toolset:
        return with_contract(self.scenario.toolset, self.contract)

    @cached_property
    def specs(self) -> Mapping[str, Mapping[str, Any]]:
        """What an agent reads of the tools."""
        return {name: tool.spec(self.contract) for name, tool in self.toolset.tools.items()}

    def plan(self, twin: str) -> Plan:
        return self._plans[twin]

    def prior(self, twin: str) -> Prior:
        """What happened before, first things first."""
        return self._priors[twin]

    @cached_property
    def _priors(self) -> Mapping[str, Prior]:
        scenario = self.scenario
        found = {twin: (*scenario.prior, *scenario.priors.get(twin, ())) for twin in self.twins}
        return {
            twin: tuple(sorted((item.settled(self.contract) for item in items), key=lambda item: item.at_ns))
            for twin, items in found.items()
        }

    @cached_property
    def _plans(self) -> Mapping[str, Plan]:
        """A late request lands just before the contract's settle time ends, where it states one: its caller counts
        from the sending, which over a network the server learns of later."""
        twins = self.scenario.twins.items()
        return {CLEAN: (), **{twin: tuple(self.settled(item) for item in plan) for twin, plan in twins}}

    def settled(self, planned: Planned) -> Planned:
        """A fault as it is under this contract."""
        settle_s = self.contract.settle_s
        if settle_s is None:
            return planned
        return replace(planned, late_ns=min(planned.late_ns, ns(settle_s * SETTLED)))

    def world(self, twin: str) -> FrozenWorld:
        """The server's tables at the start."""
        return self.scenario.worlds.get(twin, self.scenario.world)

    def brief(self, twin: str) -> Brief:
        """Frozen before the attempt; the judge reads nothing else but the history."""
        return self._briefs[twin]

    @cached_property
    def _briefs(self) -> Mapping[str, Brief]:
        return {twin: self._brief(twin) for twin in self.twins}

    def _brief(self, twin: str) -> Brief:
        scenario, plan = self.scenario, self._plans[twin]
        tools = scenario.toolset.tools.values()
        queryable = {target for tool in tools for target, shown in tool.reveals.items() if shown is not None}
        writes = {
            tool.name: WriteTerms(
                tool.identity,
                tool.idempotent,
                tool.provisional,
                tool.reverses,
                tool.name in queryable,
                tool.versioned,
                tool.scope,
                tool.items,
                tool.equivalent_to,
                tool.depends_on,
                tool.needs_approval,
                tool.retryable,
                tool.poll_s,
            )
            for tool in tools
            if tool.kind == "write"
        }
        return Brief(
            self.contract,
            scenario.budget,
            scenario.expectations.get(twin, scenario.expectation),
            writes,
            scenario.accept,
            sum(planned.required for planned in plan),
            sum(not planned.required for planned in plan),
            scenario.authority,
        )
