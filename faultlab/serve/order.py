"""What a client of the admin port orders: a session, from plain JSON, with every problem said at once."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from faultlab.core.errors import BadInput
from faultlab.core.profiles import PROFILES
from faultlab.matrix.loader import builtin, load_inline
from faultlab.matrix.scenario import CLEAN, Group, Scenario
from faultlab.matrix.shape import unknown

FIELDS: Mapping[str, type | tuple[type, ...]] = {
    "scenario": (str, dict),
    "contract": str,
    "twin": str,
    "seed": int,
    "attempt": int,
    "time_scale": (int, float),
}
"""Member -> type. A scenario is the id of a shipped one, or a whole scenario as JSON, over a built-in toolset."""

RANGES = {"seed": (0, 2**53 - 1), "attempt": (1, 2**53 - 1), "time_scale": (1e-6, 1000.0)}


class Unfit(BadInput):
    """An order that cannot be met: answered 422 with every problem, each with its place."""

    def __init__(self, problems: list[tuple[str, str]]) -> None:
        super().__init__("; ".join(f"{place}: {said}" if place else said for place, said in problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Order:
    """A session that can be opened."""

    group: Group
    twin: str
    seed: int
    attempt: int
    time_scale: float
    """Real seconds in which one second of the session passes."""
    data: Mapping[str, Any]
    """As it was given."""

    def example(self) -> tuple[str, dict[str, Any]]:
        """A tool and arguments that the plan strikes, as a line to copy; what the file does not say is `...`."""
        goals = self.group.scenario.goals
        for planned in self.group.plan(self.twin):
            for tool, args in goals:
                if planned.tool == tool and all(args.get(name) == value for name, value in planned.match.items()):
                    return tool, self._whole(tool, args)
        return (goals[0][0], self._whole(*goals[0])) if goals else (next(iter(self.group.toolset.tools)), {})

    def _whole(self, tool: str, args: Mapping[str, Any]) -> dict[str, Any]:
        needed = self.group.toolset.tools[tool].schema["required"]
        return {**dict.fromkeys(needed, "..."), **args}


def order_of(data: Any) -> Order:
    """Null stands for a member that is absent. Raises Unfit with every problem: unknown members, wrong types, names
    that nothing has."""
    if not isinstance(data, dict):
        raise Unfit([("", f"must be a JSON object, not {type(data).__name__}")])
    wrong = [(name, f"unknown member; known: {', '.join(FIELDS)}") for name in data if name not in FIELDS]
    given = {name: value for name, value in data.items() if name in FIELDS and value is not None}
    for name, value in given.items():
        kind = FIELDS[name]
        if not isinstance(value, kind) or isinstance(value, bool):
            wrong.append((name, f"must be {_named(kind)}, not {type(value).__name__}"))
    for name, (least, most) in RANGES.items():
        value = given.get(name)
        if isinstance(value, int | float) and not least <= value <= most:
            wrong.append((name, f"is {value}; it must be from {least:g} to {most:g}"))
    if wrong:
        raise Unfit(wrong)
    scenario = _scenario(given.get("scenario", "lost-receipt"))
    group = _group(scenario, given.get("contract"))
    twin = given.get("twin", group.twins[1] if len(group.twins) > 1 else CLEAN)
    if twin not in group.twins:
        raise Unfit([("twin", f"{scenario.id} has no twin {twin!r}; it has {', '.join(group.twins)}")])
    time_scale = float(given.get("time_scale", 1.0))
    return Order(group, twin, given.get("seed", 1), given.get("attempt", 1), time_scale, data)


def _named(kind: type | tuple[type, ...]) -> str:
    words = {str: "a string", dict: "an object", int: "a whole number", float: "a number"}
    return " or ".join(words[item] for item in (kind if isinstance(kind, tuple) else (kind,)))


def _scenario(named: str | dict[str, Any]) -> Scenario:
    if isinstance(named, dict):
        try:
            return load_inline(named)
        except BadInput as error:
            raise Unfit([("scenario", line) for line in str(error).splitlines()]) from None
    shipped = {item.id: item for item in builtin()}
    if named not in shipped:
        raise Unfit([("scenario", unknown("scenario", named, shipped))])
    return shipped[named]


def _group(scenario: Scenario, contract: str | None) -> Group:
    groups = {group.contract.name: group for group in scenario.groups()}
    if contract is None:
        return next(iter(groups.values()))
    if contract not in groups:
        hint = "" if contract in PROFILES else " (no contract has this name)"
        raise Unfit([("contract", f"{scenario.id} has {', '.join(groups)}, not {contract!r}{hint}")])
    return groups[contract]
