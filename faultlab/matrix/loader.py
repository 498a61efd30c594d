"""Loads scenario files. All problems of the files come at once, each with its file and line."""

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

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
from faultlab.matrix.meaning import Meaning, contracts_of, twins_of
from faultlab.matrix.scenario import Accepted, Scenario
from faultlab.matrix.schema import scenario_schema
from faultlab.matrix.shape import Problem, problems, unknown
from faultlab.matrix.toolset import resolve_toolset

ENDINGS = (".yaml", ".yml")
EXPECTED = "expected.yaml"


def builtin() -> list[Scenario]:
    """The shipped scenarios, in the order of their files."""
    return list(_builtin())


@cache
def _builtin() -> tuple[Scenario, ...]:
    package = Path(__file__).parent.parent
    folder = next((place for place in (package / "scenarios", package.parent / "scenarios") if place.is_dir()), package)
    return tuple(load_all(_files(folder)))


def find(names: Sequence[str]) -> list[Scenario]:
    """Scenarios by id, by file, or by folder, in the order given. Raises BadInput with every problem found."""
    found: list[Scenario] = []
    files: list[Path] = []
    shipped: dict[str, Scenario] = {}
    for name in dict.fromkeys(names):
        path = Path(name)
        if path.is_dir():
            files += _files(path)
        elif path.suffix in ENDINGS:
            files.append(path)
        else:
            shipped = shipped or {scenario.id: scenario for scenario in builtin()}
            if name not in shipped:
                raise BadInput(f"{unknown('scenario', name, shipped)}; your own: a file that ends in .yaml")
            found.append(shipped[name])
    return _distinct([*found, *load_all(dict.fromkeys(files))])


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
                toolset = resolve_toolset(name, file.parent)
            except BadInput as error:
                wrong.append((("toolset",), str(error)))
        wrong += Meaning(data, toolset, {place[:2] for place, _ in wrong}).problems()
    if wrong or toolset is None:
        lines = sorted({(marked.line(place), said) for place, said in wrong})
        raise BadInput("\n".join(f"{file}:{line}: {said}" for line, said in lines))
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


def _scenario(data: dict[str, Any], toolset: Toolset, file: Path) -> Scenario:
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
        twins=_twins(data.get("plan", []), ns(late_s), "at_s" not in late),
        expectation=_expectation(data["expect"], toolset),
        budget=budget,
        inputs=data.get("inputs", {}),
        goals=tuple(
            (item["tool"], item["identity"])
            for item in data["expect"]["effects"]
            for _ in range(item.get("exactly", 1))
        ),
        user=tuple(data.get("user", ())),
        accept=tuple(data.get("accept", ())),
        late_at_most_s=late_s,
        ignore=tuple(Accepted(**item) for item in data.get("ignore", ())),
        file=file,
    )


def _twins(plan: list[dict[str, Any]], late_ns: int, wake: bool) -> dict[str, Plan]:
    """Twin -> its faults. A plan that names no twins is one twin, called after its first phase."""
    named = dict.fromkeys(twin for item in plan for twin in twins_of(item))
    table: dict[str, Plan] = {}
    for twin in named or [item["phase"] for item in plan[:1]]:
        faults: list[Planned] = []
        for item in plan:
            if "twins" in item and twin not in twins_of(item):
                continue
            faults.append(
                Planned(
                    item["tool"],
                    item.get("phase") or TWINS[twin],
                    item.get("symptom", "timeout"),
                    item.get("occurrence", 1),
                    item.get("match", {}),
                    item.get("required", not faults),
                    late_ns,
                    wake,
                )
            )
        table[twin] = tuple(faults)
    return table


def _expectation(data: dict[str, Any], toolset: Toolset) -> Expectation:
    effects = tuple(
        Expected(
            item["tool"], identity_of(toolset.tools[item["tool"]].identity, item["identity"]), item.get("exactly", 1)
        )
        for item in data["effects"]
    )
    return Expectation(effects, data.get("state", {}), tuple(data.get("must_say", ())))
