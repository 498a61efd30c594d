"""cases.yaml as scenarios and agents."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import yaml
from cases import behaviours, behaviours_pace, behaviours_read, corrected, corrected_read
from cases.work import Work

from faultlab.core.verdict import Verdict
from faultlab.matrix.attempt import Conditions, run_attempt
from faultlab.matrix.loader import load
from faultlab.matrix.scenario import Group
from faultlab.rules.judge import judge

OWN = frozenset({"id", "url", "wrong", "situation", "contract", "did", "right", "harm", "codes", "noted"})
"""Members of a case that are none of a scenario."""

Named = str | Mapping[str, Mapping[str, Any]]
WRONG = (behaviours, behaviours_pace, behaviours_read)
RIGHT = (corrected, corrected_read)


class Case(NamedTuple):
    """One report."""

    data: Mapping[str, Any]
    scenario: Mapping[str, Any]

    @property
    def id(self) -> str:
        return str(self.data["id"])

    def group(self, folder: Path) -> Group:
        """Checked and loaded like any scenario file."""
        file = folder / f"{self.id}.yaml"
        file.write_text(yaml.safe_dump(dict(self.scenario), sort_keys=False), encoding="utf-8")
        return load(file).groups()[0]

    @property
    def did(self) -> Callable[..., Any]:
        return agent(self.data["did"], WRONG)

    @property
    def right(self) -> Callable[..., Any]:
        return agent(self.data["right"], RIGHT)


def everything() -> Mapping[str, Any]:
    """The data file."""
    data: Mapping[str, Any] = yaml.safe_load(Path(__file__).with_name("cases.yaml").read_text(encoding="utf-8"))
    return data


def cases(data: Mapping[str, Any]) -> list[Case]:
    return [Case(item, scenario_of(item, data["situations"][item["situation"]])) for item in data["cases"]]


def scenario_of(item: Mapping[str, Any], situation: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a scenario file."""
    own = {name: value for name, value in item.items() if name not in OWN}
    return {"id": item["id"].lower(), "suite": "boundary", **situation, "contracts": [item["contract"]], **own}


def behaviour(named: Named, modules: Iterable[ModuleType]) -> tuple[Callable[..., Any], Mapping[str, Any]]:
    """The function of a behaviour, and its parameters, from `name` or `{name: parameters}`."""
    [(name, given)] = [(named, {})] if isinstance(named, str) else named.items()
    return next(vars(module)[name] for module in modules if name in vars(module)), given


def agent(named: Named, modules: Iterable[ModuleType]) -> Callable[..., Any]:
    """A function of task and environment."""
    does, given = behaviour(named, modules)
    if "work" not in inspect.signature(does).parameters:
        made: Callable[..., Any] = does(**given)
        return made

    def run(task: Any, env: Any) -> Any:
        return does(Work(task, env), **given)

    return run


def verdicts(run: Callable[..., Any], group: Group) -> dict[str, Verdict]:
    """Twin -> what is charged there."""
    return {twin: judge(run_attempt(run, group, twin, 0, Conditions(7))[0]) for twin in group.twins}
