"""Which fault of a plan strikes a call: it counts what matches, and looks at the clock or at the seed."""

from collections.abc import Callable, Iterable

from faultlab.core.records import Call
from faultlab.core.seed import derive
from faultlab.faults.plan import EVERY_TOOL, Plan, Planned

DRAWS = 1_000_000


class Aim:
    """The plan of one attempt by tool, and what has been counted so far."""

    __slots__ = ("_seed", "_seen", "by_tool")

    def __init__(self, plan: Plan, tools: Iterable[str], seed: int) -> None:
        self._seed = seed
        self._seen: dict[int, int] = {}
        self.by_tool: dict[str, list[Planned]] = {}
        for planned in plan:
            self.add(planned, tools)

    def add(self, planned: Planned, tools: Iterable[str]) -> None:
        """One fault more; it counts from here on."""
        for tool in tools if planned.tool == EVERY_TOOL else (planned.tool,):
            self.by_tool.setdefault(tool, []).append(planned)

    def clear(self) -> None:
        """No faults any more, and nothing counted of them."""
        self.by_tool.clear()
        self._seen.clear()

    def pick(self, call: Call, now_ns: int, answered: Callable[[], bool]) -> Planned | None:
        """The first fault that wants this call: before all others one that strikes whatever the answer would be.

        `answered` says whether the server would answer with 2xx; it is asked only where it matters.
        """
        matching = [item for item in self.by_tool.get(call.tool, ()) if item.matches(call)]
        if chosen := self._first([item for item in matching if item.counts == "every"], call, now_ns):
            return chosen
        rest = [item for item in matching if item.counts == "answered"]
        return self._first(rest, call, now_ns) if rest and answered() else None

    def _first(self, items: list[Planned], call: Call, now_ns: int) -> Planned | None:
        """All of them count the call."""
        wanting = [item for item in items if self._wants(item, call, now_ns)]
        return wanting[0] if wanting else None

    def _wants(self, item: Planned, call: Call, now_ns: int) -> bool:
        count = self._seen[id(item)] = self._seen.get(id(item), 0) + 1
        if item.during_ns is not None:
            return item.during_ns[0] <= now_ns < item.during_ns[1]
        if item.probability is not None:
            return derive(self._seed, "strike", item.place, call.tool, count) % DRAWS < item.probability * DRAWS
        return count >= item.occurrence and (item.times is None or count < item.occurrence + item.times)
