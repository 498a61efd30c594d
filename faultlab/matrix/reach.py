"""What a scenario asks for that cannot come about: faults that never strike, late effects that are not late,
claims that nothing can make right, budgets that allow no move."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from faultlab.core.agent import CALL_COST, HAND_OVER_COST, Budget
from faultlab.core.contract import Contract
from faultlab.core.tools import Toolset
from faultlab.engine.session import OVERRUN
from faultlab.matrix.marks import Place
from faultlab.matrix.plan_items import LATE_TWINS, plan_items
from faultlab.matrix.shape import Problem

PATIENCE_S = 5.0
"""How long a caller waits who sets no timeout (`Session`). What lands sooner was not late for him."""


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
        yield from self._landing()
        yield from self._accepted()

    def _budget(self) -> Iterator[Problem]:
        cost = (self.data.get("budget") or {}).get("cost")
        least = CALL_COST + HAND_OVER_COST
        if cost is not None and cost < least:
            said = f"cost is {cost:g}; it must be {least:g} or more: a call and the hand-over that may follow"
            yield ("budget", "cost"), said

    def _world(self) -> Iterator[Problem]:
        worlds: list[tuple[Place, Any]] = [(("world",), self.data.get("world"))]
        worlds += [
            (("twins", twin, "world"), (own or {}).get("world")) for twin, own in (self.data.get("twins") or {}).items()
        ]
        for place, world in worlds:
            for table in world or {}:
                if table.startswith("_"):
                    yield (*place, table), f"table {table!r}: names that begin with _ are the server's own; rename it"

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

    def _all_settle(self) -> bool:
        return bool(self.contracts) and all(map(settles, self.contracts))

    def _own(self) -> Iterable[Mapping[str, Any] | None]:
        """What is true in one twin alone."""
        twins: Mapping[str, Any] = self.data.get("twins") or {}
        return twins.values()

    def _silent(self) -> bool:
        """Some fault of the plan is late and shows nothing until the caller's patience ends."""
        return any(
            item.data.get("symptom", "timeout") == "timeout" and set(LATE_TWINS).intersection(item.phases)
            for item in plan_items(self.data)
        )

    def _accepted(self) -> Iterator[Problem]:
        """`handed_over` is right only where an outcome can stay unknown."""
        accept = self.data.get("accept") or ()
        if "handed_over" not in accept or None in (self.data.get("contracts") or ()):
            return
        items = list(plan_items(self.data))
        before = bool(self.data.get("prior")) or any(own and own.get("prior") for own in self._own())
        place: Place = ("accept", accept.index("handed_over"))
        if not items and not before:
            yield place, "handed_over cannot be right: nothing of the plan leaves an outcome unknown"
        elif len(items) == 1 and not before and items[0].fault is None and self._all_settle():
            names = ", ".join(contract.name for contract in self.contracts)
            yield place, f"handed_over cannot be right: one lost receipt can always be settled under {names}"


def settles(contract: Contract) -> bool:
    """A caller who goes on can always learn or decide the outcome of one lost receipt."""
    stated = contract.disclosed()
    keyed = stated.key is not None and stated.key.window_s is not None
    return (
        keyed or stated.status or stated.fence == "durable" or (stated.settle_s is not None and stated.consistent_reads)
    )
