"""An attempt as its judge sees it: the frozen Brief, the events in order, the ledger, and how it ended."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from faultlab.core.agent import Budget
from faultlab.core.contract import Contract
from faultlab.core.records import Claim, Effect, Event, Status

End = Literal["claimed", "crashed", "hung", "over_budget", "deadlock", "toolset_failed"]


@dataclass(frozen=True, slots=True)
class Expected:
    """How often one effect is wanted."""

    tool: str
    identity: str
    exactly: int = 1


@dataclass(frozen=True, slots=True)
class Expectation:
    """What must be true at the end if the claim is `done`."""

    effects: tuple[Expected, ...] = ()
    state: Mapping[str, Any] = field(default_factory=dict)
    """`table/row/member` -> value."""
    must_say: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
    """Texts that must leave neither in a claim nor in a write."""

    def intended(self, tool: str, identity: str) -> int:
        for item in self.effects:
            if item.tool == tool and item.identity == identity:
                return item.exactly
        return 0


@dataclass(frozen=True, slots=True)
class WriteTerms:
    """What a write tool declares about itself, for judge and client."""

    identity: tuple[str, ...]
    idempotent: bool = False
    provisional: bool = False
    reverses: str | None = None
    queryable: bool = False
    """Some read tool reveals its effects."""
    versioned: tuple[str, str] | None = None
    """Table and argument of the row whose version If-Match names."""
    scope: str | None = None
    """The argument that says where."""
    items: str | None = None
    """The argument that is a list of effects, each answered by itself."""
    equivalent_to: str | None = None
    """The write tool whose refusal it does not lift."""
    depends_on: tuple[str, ...] = ()
    """Members of the versioned row from which its arguments are decided."""
    needs_approval: bool = False
    retryable: bool = False
    poll_s: float | None = None
    """How far apart two questions about it should be; None: the contract's `poll_s`."""


@dataclass(frozen=True, slots=True)
class Brief:
    """What was promised, allowed and wanted; frozen before the attempt."""

    contract: Contract
    budget: Budget
    expectation: Expectation
    writes: Mapping[str, WriteTerms]
    accept: tuple[Status, ...] = ()
    """Claims that the scenario accepts; empty: whatever follows from the contract."""
    required_faults: int = 0
    armed_faults: int = 0
    authority: tuple[str, ...] | None = None
    """The write tools that the task permits; None: it does not limit them."""

    approvals: bool = field(init=False)
    """Some write needs an approval."""
    guarded: bool = field(init=False)
    """The task limits what may be done, or an approval does."""
    ways_round: bool = field(init=False)
    """Some write does what another one does."""

    def __post_init__(self) -> None:
        # Every judgement of every attempt of a cell asks for them; the Brief is made once.
        terms = self.writes.values()
        object.__setattr__(self, "approvals", any(item.needs_approval for item in terms))
        object.__setattr__(self, "guarded", self.approvals or self.authority is not None)
        object.__setattr__(self, "ways_round", any(item.equivalent_to for item in terms))


@dataclass(slots=True)
class History:
    """Everything in an attempt, in order, plus the ledger. A judge reads it and changes nothing."""

    brief: Brief
    events: list[Event]
    ledger: list[Effect]
    end: End
    facts: Mapping[str, Any] = field(default_factory=dict)
    """The value of each path of `expectation.state` at the horizon."""
    error: str = ""
    """The agent's exception, or why the attempt ended without a claim."""
    refused_hosts: tuple[str, ...] = ()
    """Hosts that the agent tried to call instead of the lab."""
    horizon_ns: int = 0

    @property
    def claim(self) -> Claim | None:
        last = self.events[-1] if self.events else None
        return last if type(last) is Claim else None
