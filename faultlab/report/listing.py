"""Lists of agents and scenarios."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from rich.text import Text

from faultlab.report.screen import prose


def definition_lines(told: Mapping[str, str], width: int) -> Iterator[Text]:
    """A name and what is said of it, in two columns."""
    names = max(map(len, told), default=0) + 2
    for name, text in told.items():
        lines = prose(text or "no docstring", width, " " * names, name.ljust(names))
        yield Text.assemble((lines[0][:names], "bold"), lines[0][names:])
        yield from map(Text, lines[1:])


class ScenarioRow(NamedTuple):
    """One scenario with all its contracts and twins."""

    id: str
    suite: str
    task: str
    contracts: list[str]
    twins: list[str]


def scenario_lines(rows: Sequence[ScenarioRow], width: int) -> Iterator[Text]:
    """Each scenario with its task, contracts and twins; suites apart."""
    suite = ""
    for row in sorted(rows, key=lambda item: item.suite):
        if row.suite != suite:
            yield Text(row.suite.replace("_", " ").upper(), "bold")
            suite = row.suite
        yield Text(f"  {row.id}", "cyan")
        yield from map(Text, prose(row.task, width, "    "))
        for label, names in (("contracts", row.contracts), ("twins", row.twins)):
            line = f"{label}: {', '.join(names)}"
            yield from (Text(part, "dim") for part in prose(line, width, "      ", "    "))
    groups = sum(len(row.contracts) for row in rows)
    cells = sum(len(row.contracts) * len(row.twins) for row in rows)
    yield Text()
    yield Text(f"{len(rows)} scenarios, {groups} groups, {cells} cells for each agent")
