"""What every fault is: a name, a phase, what it needs, and a script."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from faultlab.core.actions import Delivery, Reply, Script
from faultlab.core.contract import Contract
from faultlab.core.records import Call, ToolKind
from faultlab.core.tools import Tool

Symptom = Callable[[Reply], Delivery]
"""From the answer that the caller should have had to what it gets instead."""

Counts = Literal["answered", "every"]
"""Which matching calls a fault counts and strikes: those that the server would answer with 2xx, or all of them."""

ANY: tuple[ToolKind, ...] = ("read", "write", "status", "fence")
WRITES: tuple[ToolKind, ...] = ("write",)
READS: tuple[ToolKind, ...] = ("read",)
STATUS: tuple[ToolKind, ...] = ("status",)


class Fault(Protocol):
    """One fault for one call. `name` is what timelines print, `phase` where the request is when it strikes."""

    name: ClassVar[str]
    phase: ClassVar[str]
    counts: ClassVar[Counts]

    def run(self, call: Call) -> Script:
        """The fault's story."""


@dataclass(frozen=True, slots=True)
class Site:
    """Where a scenario puts a fault: what can be checked before anything is run."""

    tool: Tool | None
    """None: every tool."""
    tools: Mapping[str, Tool]
    contracts: Sequence[Contract]
    seconds: float
    """The time budget."""

    def promising(self, wanted: Callable[[Contract], bool]) -> str | None:
        """The name of the first contract with a promise."""
        return next((contract.name for contract in self.contracts if wanted(contract)), None)


Complaint = tuple[str, str]
"""The parameter that is wrong (empty: the fault as a whole), and what is wrong with it."""


def unsettled(contract: Contract, delay_s: float) -> str | None:
    """The promise that is broken where a copy of a call is carried out so long after it."""
    late = contract.settle_s is not None and delay_s >= contract.settle_s
    return f"no call takes effect more than {contract.settle_s:g} s after it was sent" if late else None


class Named:
    """What a fault with a name of its own declares, apart from its story. Its parameters are its fields."""

    __slots__ = ()
    name: ClassVar[str]
    phase: ClassVar[str]
    counts: ClassVar[Counts] = "answered"
    kinds: ClassVar[tuple[ToolKind, ...]] = ANY
    """The kinds of tools that it can strike."""
    required: ClassVar[bool] = True
    """Not struck: by default the attempt says nothing. False for reads and queries, which an agent need not make."""
    looks_back: ClassVar[bool] = False
    """It shows the past: the engine keeps what it needs for that."""

    def run(self, call: Call) -> Script:
        raise NotImplementedError

    @property
    def look(self) -> str:
        """What the caller sees of it, in one word."""
        return "answer"

    def complaints(self, site: Site) -> Iterator[Complaint]:
        """Why it cannot strike there."""
        return iter(())

    def breaks(self, tool: Tool | None, contract: Contract) -> str | None:
        """The promise of a tool or its contract that it breaks; then the suite must be broken_promise."""
        return None

    def last_ns(self) -> int:
        """When its last step is taken, counted from its call."""
        return 0
