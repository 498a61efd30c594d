"""What is wrong with a scenario whose fields have the right form: names nothing has, faults that cannot strike."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date
from typing import Any

from faultlab.core.canonical import canonical, identity_of
from faultlab.core.contract import Contract
from faultlab.core.errors import BadInput
from faultlab.core.profiles import contract_of
from faultlab.core.tools import Tool, Toolset
from faultlab.engine.handles import with_contract
from faultlab.faults.catalog import ALLOWED, TWINS
from faultlab.matrix.marks import Place
from faultlab.matrix.reach import Reach
from faultlab.matrix.schema import LATE_TWINS
from faultlab.matrix.shape import Problem, problems, unknown

VETOES = ("FL101", "FL103", "FL104", "FL701")


def contracts_of(entries: Sequence[Any]) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    """(position, name, parameters) of every contract in the list."""
    for position, entry in enumerate(entries):
        if isinstance(entry, Mapping):
            yield from ((position, name, parameters) for name, parameters in entry.items())
        elif entry is not None:
            yield position, entry, {}


def twins_of(item: Mapping[str, Any]) -> list[str]:
    """The twins that a fault names, `late` written out."""
    named = [LATE_TWINS if twin == "late" else (twin,) for twin in item.get("twins") or () if twin is not None]
    return list(dict.fromkeys(twin for twins in named for twin in twins))


@dataclass(slots=True)
class Meaning:
    """Reads data in which None stands for what has not the right form; that is not complained of again."""

    data: Mapping[str, Any]
    toolset: Toolset | None
    spoiled: Set[Place]
    """Entries of lists with a part that is None: the contract or the call is not the one that was meant."""

    def problems(self) -> Iterator[Problem]:
        contracts: list[Contract] = []
        yield from self._contracts(contracts)
        if self.toolset is not None:
            yield from self._faults(self.toolset, contracts)
            yield from self._effects(self.toolset)
            yield from Reach(self.data, self.toolset, contracts, self.spoiled).problems()
        yield from self._plan()
        yield from self._late()
        yield from self._ignored()

    def _contracts(self, found: list[Contract]) -> Iterator[Problem]:
        names: set[str] = set()
        for position, name, parameters in contracts_of(self.data.get("contracts") or ()):
            if name in names:
                yield ("contracts", position), f"contract {name!r} is listed twice; keep one"
            names.add(name)
            if ("contracts", position) in self.spoiled:
                continue
            try:
                found.append(contract_of(name, parameters))
            except BadInput as error:
                yield ("contracts", position, name), str(error)

    def _items(self) -> Iterator[tuple[Place, Mapping[str, Any]]]:
        for position, item in enumerate(self.data.get("plan") or ()):
            if item is not None:
                yield ("plan", position), item

    def _faults(self, toolset: Toolset, contracts: Sequence[Contract]) -> Iterator[Problem]:
        """Every fault strikes a tool that is there, with arguments that it has."""
        tools = dict(toolset.tools)
        for contract in contracts:
            tools |= with_contract(toolset, contract).tools
        for path, item in self._items():
            if (name := item.get("tool")) is None:
                continue
            if name not in tools:
                yield (*path, "tool"), unknown("tool", name, tools)
                continue
            tool = tools[name]
            if tool.kind != "write" and item.get("twins"):
                writing = ", ".join(_writing(toolset))
                yield (*path, "tool"), f"{name} does not write, so it has no twins; give a phase, or name {writing}"
            yield from _arguments(tool, tool.arguments, item.get("match") or {}, (*path, "match"))

    def _plan(self) -> Iterator[Problem]:
        """Every fault has twins or a phase, a symptom that goes with it, and a call of its own."""
        taken: dict[tuple[str, str], int] = {}
        for path, item in self._items():
            if ("twins" in item) == ("phase" in item):
                yield path, "a fault has either twins or, for all twins alike, a phase"
            symptom = item.get("symptom", "timeout")
            for phase in {TWINS[twin]: None for twin in twins_of(item)} or [item.get("phase")]:
                if phase is not None and symptom is not None and symptom not in ALLOWED[phase]:
                    place = (*path, "symptom") if "symptom" in item else path
                    yield place, f"phase {phase} has no symptom {symptom!r}; it has {', '.join(ALLOWED[phase])}"
            if path in self.spoiled:
                continue
            call = canonical([item.get("tool"), item.get("match", {}), item.get("occurrence", 1)])
            for twin in twins_of(item) or ["*"]:
                first = taken.setdefault((twin, call), int(path[1]))
                if first != path[1]:
                    yield path, f"the same call as in plan {first + 1}; change occurrence or match"
                    break

    def _effects(self, toolset: Toolset) -> Iterator[Problem]:
        """Every wanted effect is one that a write tool can have, and stands there once."""
        seen: dict[tuple[str, str], int] = {}
        for position, item in enumerate((self.data.get("expect") or {}).get("effects") or ()):
            path: Place = ("expect", "effects", position)
            if item is None or (name := item.get("tool")) is None:
                continue
            tool = toolset.tools.get(name)
            if tool is None:
                yield (*path, "tool"), unknown("tool", name, _writing(toolset))
                continue
            if tool.kind != "write":
                writing = ", ".join(_writing(toolset))
                yield (*path, "tool"), f"{name} does not write, so it has no effects; known: {writing}"
                continue
            if (given := item.get("identity")) is None:
                continue
            place = (*path, "identity")
            if missing := [argument for argument in tool.identity if argument not in given]:
                yield place, f"identity lacks {missing[0]!r}; {name} needs {', '.join(tool.identity)}"
            yield from _arguments(tool, tool.identity, given, place)
            first = seen.setdefault((name, identity_of(tool.identity, given)), position)
            if first != position and not missing:
                yield path, f"the same effect as effects {first + 1}; write it once, with exactly: the sum"

    def _late(self) -> Iterator[Problem]:
        late = self.data.get("late")
        if late is None:
            return
        if len(late) != 1:
            yield ("late",), "late has either at_most_s or at_s"
        items = [item for _, item in self._items()]
        if not any(twin in LATE_TWINS for item in items for twin in [*twins_of(item), item.get("phase")]):
            yield ("late",), f"nothing of the plan is late; known: {', '.join(LATE_TWINS)}, late"

    def _ignored(self) -> Iterator[Problem]:
        for position, item in enumerate(self.data.get("ignore") or ()):
            if item is None:
                continue
            if item.get("code") in VETOES:
                yield ("ignore", position, "code"), f"{item['code']} is a veto; a veto is never accepted"
            try:
                date.fromisoformat(item.get("until") or "2000-01-01")
            except ValueError:
                yield ("ignore", position, "until"), f"until is {item['until']!r}; it must be a date, 2027-03-01"


def _writing(toolset: Toolset) -> list[str]:
    return [name for name, tool in toolset.tools.items() if tool.kind == "write"]


def _arguments(tool: Tool, known: Sequence[str], given: Mapping[str, Any], path: Place) -> Iterator[Problem]:
    """The arguments are among those known, with values that the tool can be called with."""
    for name, value in given.items():
        if name not in known:
            yield (*path, name), unknown(f"argument of {tool.name}", name, known)
        else:
            yield from problems(tool.schema["properties"][name], value, (*path, name))
