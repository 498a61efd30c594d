"""Reads `scenarios/expected.yaml`, written by hand, and says which cells of a calibration are not as it says."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import yaml

from faultlab.core.errors import HarnessFault
from faultlab.core.result import Cell
from faultlab.core.verdict import GLYPHS
from faultlab.matrix.loader import shipped_folder
from faultlab.matrix.marks import Loader
from faultlab.matrix.scenario import Group

LATE = {"late_network": "late", "late_server": "late"}
"""A twin without an entry of its own is found under the short name of its kind."""

Table = Mapping[str, Mapping[str, str]]
"""Agent -> twin -> mark and codes, as one text."""


def expected(file: Path) -> Mapping[tuple[str, str], Table]:
    """(scenario, contract) -> table. Raises HarnessFault where the file is not there or not of this form."""
    try:
        data = Loader(file.read_text(encoding="utf-8")).get_single_data()
        return {
            (scenario, contract): table
            for scenario, contracts in data["groups"].items()
            for contract, table in contracts.items()
        }
    except (OSError, yaml.YAMLError, KeyError, AttributeError, TypeError) as error:
        raise HarnessFault(f"{file}: not a table of expected cells: {error}") from error


def wanted(table: Table, agent: str, twin: str) -> str | None:
    """What a cell should show, `! FL201`; None: the table does not say."""
    twins = table.get(agent, {})
    return twins.get(twin, twins.get(LATE.get(twin, twin)))


def shown(cell: Cell) -> str:
    """What a cell shows, in the same form."""
    return " ".join([GLYPHS[cell.mark], *cell.codes])


def surprises(cells: Iterable[Cell], groups: Sequence[Group]) -> list[str]:
    """A line for each cell that is not as the file beside its scenario says."""
    files = {group.scenario.id: group.scenario.file for group in groups}
    tables: dict[Path, Mapping[tuple[str, str], Table]] = {}
    found = []
    for cell in cells:
        name = f"{cell.agent} {cell.scenario}/{cell.contract}/{cell.twin}"
        file = files[cell.scenario]
        beside = None if file is None else file.parent / "expected.yaml"
        if beside is None or not beside.exists():
            found.append(f"{name}: no expected.yaml beside its scenario says where it must land")
            continue
        if beside not in tables:
            tables[beside] = expected(beside)
        table = tables[beside].get((cell.scenario, cell.contract), {})
        should = wanted(table, cell.agent, cell.twin)
        if should is None:
            found.append(f"{name}: {beside.name} does not say where it must land")
        elif should != shown(cell):
            found.append(f"{name}: expected {should}, got {shown(cell)}")
    return found


def scenarios_with(code: str) -> tuple[str, ...]:
    """The shipped scenarios in which some reference agent must be found out by this rule."""
    file = shipped_folder() / "expected.yaml"
    return tuple(
        dict.fromkeys(
            scenario
            for (scenario, _), table in expected(file).items()
            if any(code in said.split() for twins in table.values() for said in twins.values())
        )
    )
