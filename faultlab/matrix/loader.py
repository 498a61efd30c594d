"""Loads scenario files. All problems of the files come at once, each with its file and line."""

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from faultlab.core.agent import Budget
from faultlab.core.canonical import identity_of
from faultlab.core.clock import ns
from faultlab.core.errors import BadInput
from faultlab.core.history import Expectation, Expected
from faultlab.core.profiles import contract_of
from faultlab.core.tools import Toolset
from faultlab.core.world import FrozenWorld
from faultlab.faults.catalog import TWINS
from faultlab.faults.plan import Plan, Planned
from faultlab.matrix.marks import Place, read
from faultlab.matrix.meaning import Meaning, contracts_of
from faultlab.matrix.plan_items import Item, every_tool, plan_items, twin_names
from faultlab.matrix.prior import prior_of
from faultlab.matrix.scenario import Accepted, Saying, Scenario
from faultlab.matrix.schema import scenario_schema
from faultlab.matrix.shape import Problem, problems
from faultlab.matrix.toolset import builtin_toolset, resolve_toolset

ENDINGS = (".yaml", ".yml")
EXPECTED = "expected.yaml"


def builtin() -> list[Scenario]:
    """The shipped scenarios, in the order of their files."""
    return list(_builtin())


@cache
def _builtin() -> tuple[Scenario, ...]:
    return tuple(load_all(_files(shipped_folder())))


def shipped_folder() -> Path:
    """Where the shipped scenarios stand: inside the installed package, or at the top of a checkout."""
    package = Path(__file__).parent.parent
    return next((place for place in (package / "scenarios", package.parent / "scenarios") if place.is_dir()), package)


def find(names: Sequence[str]) -> list[Scenario]:
    """Scenarios by id, by file, or by folder, in the order given. Raises BadInput with every problem found."""
    found: list[Scenario] = []
    files: list[Path] = []
    for name in dict.fromkeys(names):
        path = Path(name)
        if path.is_dir():
            files += _files(path)
        elif path.suffix in ENDINGS:
            files.append(path)
        else:
            found.append(load(_shipped(name)))
    return _distinct([*found, *load_all(dict.fromkeys(files))])


def _shipped(name: str) -> Path:
    """A shipped scenario's file is named after its id."""
    known = {file.stem: file for file in _files(shipped_folder())}
    if name not in known:
        near = ", ".join(map(repr, difflib.get_close_matches(name, known, 3)))
        hint = f"did you mean {near}? " if near else ""
        raise BadInput(
            f"unknown scenario {name!r}; {hint}`faultlab scenarios` lists them; your own: a file that ends in .yaml"
        )
    return known[name]


def _files(folder: Path) -> list[Path]:
    found = [file for file in folder.iterdir() if file.suffix in ENDINGS and file.name != EXPECTED]
    files = sorted(found, key=lambda file: file.stem)
    if not files:
        raise BadInput(f"no scenario in {folder}; scenarios are files that end in .yaml")
    return files


def load_all(files: Iterable[Path]) -> list[Scenario]:
    """Every file's scenario, or one BadInput with the problems of all of them."""
    found, wrong = [], []
    for file in files:
        try:
            found.append(load(file))
        except BadInput as error:
            wrong.append(str(error))
    if wrong:
        raise BadInput("\n".join(wrong))
    return _distinct(found)


def _distinct(scenarios: list[Scenario]) -> list[Scenario]:
    seen: dict[str, Scenario] = {}
    for scenario in scenarios:
        if (first := seen.setdefault(scenario.id, scenario)) is not scenario:
            raise BadInput(f"{scenario.file}: id {scenario.id!r} is taken by {first.file}; give it another")
    return scenarios


def load(file: Path) -> Scenario:
    """The scenario of one file. Raises BadInput with a line `FILE:LINE: what is wrong; what is allowed` for each."""
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise BadInput(f"{file}: not text in UTF-8") from None
    except OSError as error:
        raise BadInput(f"{file}: cannot be read: {error.strerror}") from error
    return _loaded(text, file, lambda name: resolve_toolset(name, file.parent))


def load_inline(data: Mapping[str, Any]) -> Scenario:
    """A scenario given as JSON, over a built-in toolset: nothing in it reaches a file or an import.

    Raises BadInput with a line for each problem, as `load`; the lines count in the JSON written as YAML.
    """
    text = yaml.safe_dump(dict(data), sort_keys=False, allow_unicode=True)
    return _loaded(text, None, builtin_toolset)


def _loaded(text: str, file: Path | None, toolset_of: Callable[[str], Toolset]) -> Scenario:
    where = file or "scenario"
    marked = read(text)
    wrong: list[Problem] = list(marked.problems)
    if not wrong or marked.data is not None:
        told = {place for place, _ in wrong}
        wrong += [item for item in problems(scenario_schema(), marked.data) if item[0] not in told]
    data = _without(marked.data, [place for place, _ in wrong])
    toolset = None
    if isinstance(data, dict):
        if (name := data.get("toolset")) is not None:
            try:
                toolset = toolset_of(name)
            except BadInput as error:
                wrong.append((("toolset",), str(error)))
        wrong += Meaning(data, toolset, {place[:size] for place, _ in wrong for size in (2, 4)}).problems()
    if wrong or toolset is None:
        lines = sorted({(marked.line(place), said) for place, said in wrong})
        raise BadInput("\n".join(f"{where}:{line}: {said}" for line, said in lines))
    return _scenario(data, toolset, file)


def _without(data: Any, places: Sequence[Place]) -> Any:
    """The data with None for everything that is wrong, so that the rest can be looked at."""
    if () in places:
        return None
    for place in places:
        above: Any = data
        try:
            for step in place[:-1]:
                above = above[step]
            above[place[-1]] = None
        except (LookupError, TypeError):
            continue  # it stands in a part that is gone already
    return data


def _scenario(data: dict[str, Any], toolset: Toolset, file: Path | None) -> Scenario:
    budget = Budget(**data.get("budget", {}))
    late = data.get("late", {})
    late_s = late.get("at_s") or late.get("at_most_s") or 2 * budget.seconds
    return Scenario(
        id=data["id"],
        suite=data["suite"],
        instruction=data["task"],
        toolset=toolset,
        world=FrozenWorld(data.get("world", {})),
        contracts=tuple(contract_of(name, terms) for _, name, terms in contracts_of(data["contracts"])),
        twins=_twins(data, toolset, ns(late_s), "at_s" not in late),
        worlds=_worlds(data),
        expectation=_expectation(data["expect"], toolset),
        expectations={
            twin: _expectation(own["expect"], toolset) for twin, own in data.get("twins", {}).items() if "expect" in own
        },
        budget=budget,
        inputs=data.get("inputs", {}),
        goals=tuple(
            (item["tool"], {**item.get("args", {}), **item["identity"]})
            for item in data["expect"]["effects"]
            for _ in range(item.get("exactly", 1))
        ),
        user=tuple(item if isinstance(item, str) else Saying(**item) for item in data.get("user", ())),
        notes=data.get("notes", {}),
        prior=prior_of(data.get("prior", ()), ns(late_s), "at_s" not in late),
        priors={
            twin: prior_of(own["prior"], ns(late_s), "at_s" not in late)
            for twin, own in data.get("twins", {}).items()
            if "prior" in own
        },
        accept=tuple(data.get("accept", ())),
        authority=None if "authority" not in data else tuple(data["authority"]),
        late_at_most_s=late_s,
        ignore=tuple(Accepted(**item) for item in data.get("ignore", ())),
        file=file,
    )


def _twins(data: dict[str, Any], toolset: Toolset, late_ns: int, wake: bool) -> dict[str, Plan]:
    """Twin -> its faults. A plan that names no twins is one twin, called after its first fault."""
    items = list(plan_items(data))
    table: dict[str, Plan] = {}
    for twin in twin_names(data):
        faults: list[Planned] = []
        for item in [item for item in items if item.in_twin(twin)]:
            faults.append(planned_of(item, twin, toolset, not faults, late_ns, wake))
        table[twin] = tuple(faults)
    return table


def planned_of(item: Item, twin: str, toolset: Toolset, first: bool, late_ns: int, wake: bool) -> Planned:
    """A fault as it is in one twin."""
    data, fault = item.data, item.fault
    during, times = data.get("during"), data.get("times", 1)
    tool = toolset.tools.get(data["tool"])
    kind = tool.kind if tool is not None else None if every_tool(item) else "status"  # what only a contract offers
    return Planned(
        data["tool"],
        fault.phase if fault is not None else data.get("phase") or TWINS[twin],
        data.get("symptom", "timeout"),
        data.get("occurrence", 1),
        data.get("match", {}),
        item.required(first, kind),
        late_ns,
        wake,
        None if times == "always" else times,
        None if during is None else (ns(during[0]), ns(during[1])),
        data.get("probability"),
        "" if fault is None else fault.name,
        item.given,
        item.position + 1000 * (item.own is not None),
    )


def _worlds(data: dict[str, Any]) -> dict[str, FrozenWorld]:
    """Twin -> its world, where it is another: rows of the same table and id are merged member by member."""
    start = data.get("world", {})
    worlds = {}
    for twin, own in data.get("twins", {}).items():
        changed = own.get("world", {})
        tables = {
            name: {
                row_id: {**start.get(name, {}).get(row_id, {}), **changed.get(name, {}).get(row_id, {})}
                for row_id in {**start.get(name, {}), **changed.get(name, {})}
            }
            for name in {**start, **changed}
        }
        if changed:
            worlds[twin] = FrozenWorld(tables)
    return worlds


def _expectation(data: dict[str, Any], toolset: Toolset) -> Expectation:
    effects = tuple(
        Expected(
            item["tool"], identity_of(toolset.tools[item["tool"]].identity, item["identity"]), item.get("exactly", 1)
        )
        for item in data["effects"]
    )
    return Expectation(effects, data.get("state", {}), tuple(data.get("must_say", ())), tuple(data.get("secrets", ())))
