"""What is wrong with a scenario whose fields have the right form: names nothing has, faults that cannot strike."""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date
from typing import Any

from faultlab.core.canonical import identity_of
from faultlab.core.contract import Contract
from faultlab.core.errors import BadInput
from faultlab.core.profiles import contract_of
from faultlab.core.tools import Tool, Toolset
from faultlab.matrix.codes import CODES, VETOES
from faultlab.matrix.marks import Place
from faultlab.matrix.plan_items import LATE_TWINS, plan_items
from faultlab.matrix.plan_meaning import PlanMeaning
from faultlab.matrix.prior_meaning import prior_problems
from faultlab.matrix.reach import Reach
from faultlab.matrix.shape import Problem, problems, unknown


def contracts_of(entries: Sequence[Any]) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
    """(position, name, parameters) of every contract in the list."""
    for position, entry in enumerate(entries):
        if isinstance(entry, Mapping):
            yield from ((position, name, parameters) for name, parameters in entry.items())
        elif entry is not None:
            yield position, entry, {}


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
            yield from self._effects(self.toolset, self.data.get("expect"), ("expect",))
            yield from self._authority(self.toolset)
            yield from prior_problems(self.data.get("prior"), self.toolset.tools, arguments_of)
            for name, own in (self.data.get("twins") or {}).items():
                if own is not None:
                    yield from self._effects(self.toolset, own.get("expect"), ("twins", name, "expect"))
                    yield from prior_problems(own.get("prior"), self.toolset.tools, arguments_of, ("twins", name))
            yield from Reach(self.data, self.toolset, contracts, self.spoiled).problems()
        yield from PlanMeaning(self.data, self.toolset, contracts, self.spoiled, arguments_of).problems()
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

    def _authority(self, toolset: Toolset) -> Iterator[Problem]:
        """What the task permits are write tools."""
        for position, name in enumerate(self.data.get("authority") or ()):
            if name is not None and name not in _writing(toolset):
                yield ("authority", position), unknown("write tool", name, _writing(toolset))
        wanted = ((self.data.get("expect") or {}).get("effects") or ()) if self.data.get("authority") == [] else ()
        if any(item is not None for item in wanted):
            said = "authority is empty, so that nothing wanted may be done; name the write tools, or leave it out"
            yield ("authority",), said

    def _effects(self, toolset: Toolset, expect: Mapping[str, Any] | None, above: Place) -> Iterator[Problem]:
        """Every wanted effect is one that a write tool can have, and stands there once."""
        seen: dict[tuple[str, str], int] = {}
        for position, item in enumerate((expect or {}).get("effects") or ()):
            path: Place = (*above, "effects", position)
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
            yield from arguments_of(tool, tool.identity, given, place, "part of the identity of")
            others = [argument for argument in tool.arguments if argument not in tool.identity]
            yield from arguments_of(tool, others, item.get("args") or {}, (*path, "args"))
            first = seen.setdefault((name, identity_of(tool.identity, given)), position)
            if first != position and not missing:
                yield path, f"the same effect as effects {first + 1}; write it once, with exactly: the sum"

    def _late(self) -> Iterator[Problem]:
        late = self.data.get("late")
        if late is None:
            return
        if len(late) != 1:
            yield ("late",), "late has either at_most_s or at_s"
        phases = [phase for item in plan_items(self.data) for phase in item.phases]
        owners = [self.data, *(own for own in (self.data.get("twins") or {}).values() if own is not None)]
        phases += [item.get("fault") for own in owners for item in own.get("prior") or () if item is not None]
        if not set(LATE_TWINS).intersection(phases):
            yield ("late",), f"nothing of the plan is late; known: {', '.join(LATE_TWINS)}, late"

    def _ignored(self) -> Iterator[Problem]:
        for position, item in enumerate(self.data.get("ignore") or ()):
            if item is None:
                continue
            code = item.get("code")
            if code is not None and code not in CODES:
                yield ("ignore", position, "code"), _no_rule(code)
            if code in VETOES:
                yield ("ignore", position, "code"), f"{code} is a veto; a veto is never accepted"
            try:
                date.fromisoformat(item.get("until") or "2000-01-01")
            except ValueError:
                yield ("ignore", position, "until"), f"until is {item['until']!r}; it must be a date, 2027-03-01"


def _no_rule(code: str) -> str:
    """With the rules of the same group: `FL210` is meant to be one of those on recovery."""
    near = [known for known in CODES if known[:3] == code[:3] and known not in VETOES]
    hint = f"near it are {', '.join(near)}; " if near else ""
    return f"there is no rule {code}; {hint}`faultlab explain` lists them"


def _writing(toolset: Toolset) -> list[str]:
    return [name for name, tool in toolset.tools.items() if tool.kind == "write"]


def arguments_of(
    tool: Tool, known: Sequence[str], given: Mapping[str, Any], path: Place, what: str = "argument of"
) -> Iterator[Problem]:
    """The arguments are among those known, with values that the tool can be called with."""
    for name, value in given.items():
        if name not in known:
            yield (*path, name), unknown(f"{what} {tool.name}", name, known)
        elif name in tool.schema["properties"]:  # else a member of each item of a list
            yield from problems(tool.schema["properties"][name], value, (*path, name))
