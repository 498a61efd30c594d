"""From the marks of a test to its cases, or to a message that names the line to change."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from faultlab.api.marks import Case, contract_asked, fault_cases, fault_mark, one_name, place_of
from faultlab.api.twins import readable
from faultlab.core.errors import BadInput
from faultlab.matrix.loader import ENDINGS, find
from faultlab.matrix.scenario import Group
from faultlab.matrix.select import Selection, select

Given = tuple[str, Sequence[Any], Mapping[str, Any]]
"""A mark: its name, its arguments by position, and by keyword."""

SCENARIO_OPTIONS = ("contract",)


def cases_of(function: Callable[..., Any], marks: Sequence[Given]) -> list[Case] | str:
    """The cases of a test in order; or `FILE:LINE: what is wrong; what is allowed`."""
    last = marks[-1]
    try:
        if any(name == "scenario" for name, _, _ in marks):
            if len(marks) > 1:
                raise BadInput("scenario: it stands alone, for it brings its own faults; take the other mark away")
            return scenario_cases(last[1], last[2], Path(function.__code__.co_filename).parent)
        asked = []
        for mark in marks:
            last = mark
            asked.append(fault_mark(mark[1], mark[2]))
        return fault_cases(asked)
    except BadInput as error:
        return f"{place_of(function, *last)}: {error}"


def scenario_cases(args: Sequence[Any], given: Mapping[str, Any], folder: Path) -> list[Case]:
    """Every twin of the scenario and its clean run, under the contract that is asked for, else under each."""
    name = one_name(args, given, "scenario", "a scenario", SCENARIO_OPTIONS)
    contract = contract_asked(given, "scenario")
    return [
        Case(
            twin if contract else f"{group.contract.name}-{twin}",
            twin,
            tuple(twins),
            group.contract.name,
            scenario=name,
            real_twin=real,
        )
        for group in groups_of(name, contract, folder)
        for twins in [readable({twin: twin for twin in group.twins}, group.contract)]
        for twin, real in twins.items()
    ]


def groups_of(name: str, contract: str | None, folder: Path) -> list[Group]:
    """A shipped scenario by id, or a file: in the working folder, else in the folder of the test.

    Raises BadInput for a name, file or contract that is not there.
    """
    beside = folder / name
    if Path(name).suffix in ENDINGS and not Path(name).exists() and beside.exists():
        name = str(beside)
    return select(find([name]), Selection(contracts=(contract,) if contract else ()))
