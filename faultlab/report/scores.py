"""How each agent fared under each group of rules, in operations."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from faultlab.core.result import Cell
from faultlab.core.verdict import Score, added
from faultlab.report.screen import padded, prose
from faultlab.report.text import SUITE_TITLES

GROUPS = ("effects", "recovery", "keys", "budget", "pace", "claims", "versions", "authority")
"""The groups of rules that judge operations, in the order of their codes."""


def score_lines(cells: Sequence[Cell], agents: Sequence[str], width: int) -> Iterator[Text]:
    """For each suite a table, or, where that is too wide, a line an agent: operations without a finding, of those
    that gave the group something to judge."""
    suites = list(dict.fromkeys(cell.suite for cell in cells))
    for suite in suites:
        title = SUITE_TITLES.get(suite, suite.upper())
        yield Text(f"SCORES {title}, without a finding / judged", style="bold")
        rows = {
            agent: scores_of([cell for cell in cells if cell.suite == suite and cell.agent == agent])
            for agent in agents
        }
        yield from _table({agent: row for agent, row in rows.items() if row}, width)
        yield Text()


def scores_of(cells: Sequence[Cell]) -> dict[str, Score]:
    """Group -> score; empty where nothing was judged."""
    return {score.group: score for score in added(item for cell in cells for item in cell.scores)}


def shown(score: Score | None) -> str:
    """`12/14`; `n/a` where no operation gave the group anything to judge."""
    return "n/a" if score is None or not score.exercised else f"{score.clean}/{score.exercised}"


def _table(rows: dict[str, dict[str, Score]], width: int) -> Iterator[Text]:
    columns = {group: max([len(group), *(len(shown(row.get(group))) for row in rows.values())]) for group in GROUPS}
    names = max([len(name) for name in rows], default=0)
    room = width - names - sum(columns.values())
    gap = " " * min(2, room // len(columns))
    if not gap:
        for name, row in rows.items():
            line = ", ".join(f"{group} {shown(row.get(group))}" for group in GROUPS)
            yield from (Text(part) for part in prose(f"{name}: {line}", width, "    ", "  "))
        return
    yield Text(padded("", names) + "".join(gap + group.ljust(size) for group, size in columns.items()))
    for name, row in rows.items():
        cells = "".join(gap + shown(row.get(group)).ljust(size) for group, size in columns.items())
        yield Text((padded(name, names) + cells).rstrip())
