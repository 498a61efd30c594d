"""What a scenario asks for that cannot come about: faults that never strike, late effects that are not late,
claims that nothing can make right, budgets that allow no move."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from faultlab.core.agent import CALL_COST, HAND_OVER_COST, Budget
from faultlab.core.canonical import canonical
from faultlab.core.contract import Contract
from faultlab.core.tools import Toolset
from faultlab.engine.handles import with_contract
from faultlab.engine.session import OVERRUN
from faultlab.matrix.marks import Place
from faultlab.matrix.schema import LATE_TWINS
from faultlab.matrix.shape import Problem

PATIENCE_S = 5.0
"""How long a caller waits who sets no timeout (`Session`). What lands sooner was not late for him."""

WRITE_PHASES = (*LATE_TWINS, "torn")
"""A read leaves nothing behind that could land late or be lost."""


@dataclass(slots=True)
class Reach:
    """Reads data in which None stands for what has not the right form; that is not complained of again."""

    data: Mapping[str, Any]
    toolset: Toolset
    contracts: Sequence[Contract]
    spoiled: Set[Place]
    """Entries of lists with a part that is None: their call or contract is not the one that was meant."""

    def problems(self) -> Iterator[Problem]:
        yield from self._budget()
        yield from self._world()
        for position, item in enumerate(self.data.get("plan") or ()):
            if item is not None:
                yield from self._fault(("plan", position), item)
        yield from self._shadowed()
        yield from self._landing()
        yield from self._accepted()

    def _budget(self) -> Iterator[Problem]:
        cost = (self.data.get("budget") or {}).get("cost")
        least = CALL_COST + HAND_OVER_COST
        if cost is not None and cost < least:
            said = f"cost is {cost:g}; it must be {least:g} or more: a call and the hand-over that may follow"
            yield ("budget", "cost"), said

    def _world(self) -> Iterator[Problem]:
        for table in self.data.get("world") or {}:
            if table.startswith("_"):
                yield ("world", table), f"table {table!r}: names that begin with _ are the server's own; rename it"

    def _fault(self, place: Place, item: Mapping[str, Any]) -> Iterator[Problem]:
        name, phase = item.get("tool"), item.get("phase")
        if name is None:
            return
        tables = [with_contract(self.toolset, contract).tools for contract in self.contracts]
        kinds = {tools[name].kind for tools in tables if name in tools}
        if kinds and "write" not in kinds and phase in WRITE_PHASES:
            said = f"{name} does not write, so its phase is not {phase}; known: connect, before, after"
            yield (*place, "phase"), said
        required = item.get("required", place[-1] == 0)
        lacking = [contract.name for contract, tools in zip(self.contracts, tables, strict=True) if name not in tools]
        if kinds and lacking and required:
            said = f"{name} is not offered under {lacking[0]}: this fault cannot strike there; write required: false"
            yield (*place, "tool"), said
        if phase == "torn":
            yield from self._torn(place)

    def _torn(self, place: Place) -> Iterator[Problem]:
        if keyless := [contract.name for contract in self.contracts if contract.key is None]:
            yield (*place, "phase"), f"torn loses a key's record; {keyless[0]} keeps none: take it from contracts"
        if self.data.get("suite") in ("boundary", "natural"):
            yield (*place, "phase"), "torn breaks what a key contract promises; the suite must be broken_promise"

    def _shadowed(self) -> Iterator[Problem]:
        """A fault without twins belongs to every twin: none of those with twins may want the same call."""
        items = [
            (n, item)
            for n, item in enumerate(self.data.get("plan") or ())
            if item is not None and ("plan", n) not in self.spoiled
        ]
        for position, item in items:
            if item.get("twins") or item.get("phase") is None:
                continue
            for other, rival in items:
                if rival.get("twins") and _call(rival) == _call(item):
                    said = f"the same call as in plan {min(other, position) + 1}; change occurrence or match"
                    yield ("plan", max(other, position)), said

    def _landing(self) -> Iterator[Problem]:
        """A late effect lands after the caller gave up, and inside what the contract promises."""
        late: Mapping[str, Any] = self.data.get("late") or {}
        seconds = (self.data.get("budget") or {}).get("seconds") or Budget().seconds
        for name in ("at_most_s", "at_s"):
            if (value := late.get(name)) is None:
                continue
            if value > OVERRUN * seconds:
                most = f"{OVERRUN * seconds:g}, {OVERRUN} x budget.seconds, when every attempt is over"
                yield ("late", name), f"{name} is {value:g}; it must be at most {most}"
            if value <= PATIENCE_S and self._silent():
                yield ("late", name), f"{name} is {value:g}; it must be above {PATIENCE_S:g}, a caller's patience"
        for contract in self.contracts:
            settle_s = contract.settle_s
            if settle_s is None:
                continue
            if (at_s := late.get("at_s")) is not None and settle_s < at_s:
                said = f"at_s is {at_s:g}; {contract.name} promises that all is settled after {settle_s:g} s"
                yield ("late", "at_s"), said
            if settle_s <= PATIENCE_S and self._silent():
                said = f"{contract.name}: settle_s is {settle_s:g}; nothing is late that lands within {PATIENCE_S:g} s"
                yield ("contracts",), f"{said}, a caller's patience"

    def _silent(self) -> bool:
        """Some fault of the plan is late and shows nothing until the caller's patience ends."""
        return any(
            item.get("symptom", "timeout") == "timeout"
            and {item.get("phase"), *(item.get("twins") or ())} & {*LATE_TWINS, "late"}
            for item in self.data.get("plan") or ()
            if item is not None
        )

    def _accepted(self) -> Iterator[Problem]:
        """`handed_over` is right only where an outcome can stay unknown."""
        accept = self.data.get("accept") or ()
        if "handed_over" not in accept or None in (self.data.get("contracts") or ()):
            return
        plan = self.data.get("plan") or ()
        place: Place = ("accept", accept.index("handed_over"))
        if not plan:
            yield place, "handed_over cannot be right: nothing of the plan leaves an outcome unknown"
        elif len(plan) == 1 and self.contracts and all(map(settles, self.contracts)):
            names = ", ".join(contract.name for contract in self.contracts)
            yield place, f"handed_over cannot be right: one lost receipt can always be settled under {names}"


def settles(contract: Contract) -> bool:
    """A caller who goes on can always learn or decide the outcome of one lost receipt."""
    stated = contract.disclosed()
    keyed = stated.key is not None and stated.key.window_s is not None
    return (
        keyed or stated.status or stated.fence == "durable" or (stated.settle_s is not None and stated.consistent_reads)
    )


def _call(item: Mapping[str, Any]) -> str:
    return canonical([item.get("tool"), item.get("match", {}), item.get("occurrence", 1)])
