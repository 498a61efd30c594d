"""Says of a group that cannot judge what was tried in it, what came of that, and which line of its file to look at."""

import re
from collections.abc import Iterable
from pathlib import Path

from faultlab.core.result import GroupResult, Result
from faultlab.matrix.loader import shipped_folder
from faultlab.matrix.marks import Place, read
from faultlab.matrix.scenario import Group, Scenario

EFFECT = re.compile(r"\be_[0-9a-f]{12}\b")
"""The id of an effect, which is another one in every attempt."""
LOOK_AT: tuple[tuple[str, Place], ...] = (
    ("FL504", ("expect", "must_say")),
    ("FL4", ("budget",)),
    ("FL7", ("authority",)),
    ("FL902", ("inputs",)),
    ("FL901", ("plan",)),
    ("FL", ("expect",)),
)
"""How the code of a finding begins -> the part of a scenario that then asks for too much."""


def own(scenario: Scenario) -> bool:
    """Whether it is the user's, and not one of those that are shipped."""
    return scenario.file is None or scenario.file.resolve().parent != shipped_folder().resolve()


def line_of(scenario: Scenario, place: Place) -> str:
    """`mine.yaml:13`, where the place stands, or the nearest one above it."""
    if scenario.file is None:
        return "scenario"
    try:
        text = Path(scenario.file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return str(scenario.file)
    return f"{scenario.file}:{read(text).line(place)}"


def too_easy(group: Group, probe: str) -> str:
    """Of a probe that passes."""
    where = line_of(group.scenario, ("expect",))
    return (
        f"the probe {probe!r}, which ignores the task, passes every cell: {where} expects nothing that a right agent"
        f" alone brings about{_whose(group.scenario)}"
    )


def too_hard(group: Group, judged: GroupResult) -> str:
    """Of the oracle, where it does not pass."""
    failed = [cell for cell in judged.cells if cell.verdict != "PASS"]
    way = next(way for cell in failed for way in cell.ways if way.verdict != "pass")
    twins = ", ".join(cell.twin for cell in failed)
    code, why = _reason(way)
    where = line_of(group.scenario, next((place for start, place in LOOK_AT if code.startswith(start)), ()))
    return (
        f"the oracle, which makes every move that is left to make, ends {judged.verdict} in {twins}: {why}. Look at"
        f" {where}{_whose(group.scenario)}"
    )


def _reason(way: Result) -> tuple[str, str]:
    """The code and the text of what failed it first."""
    for item in way.findings:
        if item.severity != "note" and item.cause == "agent":
            told = f" ({way.error})" if way.error else ""
            return item.code, f"{item.code}, {EFFECT.sub('an effect', item.text)}{told}"
    unfired = next((item for item in way.findings if item.code == "FL901"), None)
    if unfired is not None:
        return "FL901", f"FL901, {unfired.text}"
    return "", way.excluded_reason or way.error or way.verdict


def _whose(scenario: Scenario) -> str:
    return "; it is likely the scenario that is wrong" if own(scenario) else ""


def all_own(groups: Iterable[Group]) -> bool:
    return all(own(group.scenario) for group in groups)
