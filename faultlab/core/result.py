"""One judged attempt without its history: what summaries, matrices and JSON are made of. Light, and picklable."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from faultlab.core.verdict import (
    AttemptVerdict, CellVerdict, Finding, Mark, merge_cell, merge_group, worst,
)


class Result(NamedTuple):
    """One attempt: its address, its cell, its verdict."""

    number: int
    """1 to N within the run: `RUN:N` on the command line."""
    agent: str
    suite: str
    scenario: str
    contract: str
    twin: str
    """`clean` for the run in which nothing goes wrong."""
    index: int
    """1 to k within the cell."""
    verdict: AttemptVerdict
    mark: Mark
    findings: tuple[Finding, ...]
    end: str
    error: str
    excluded_reason: str
    shape: str
    """Equal for attempts that went the same way apart from ids and times."""
    calls: int
    cost: float
    elapsed_s: float
    """On the clock of the attempt."""

    @property
    def cell_key(self) -> tuple[str, str, str, str]:
        return self.agent, self.scenario, self.contract, self.twin

    @property
    def codes(self) -> frozenset[str]:
        """The codes that failed the attempt."""
        return frozenset(item.code for item in self.findings if item.severity != "note" and item.cause == "agent")


class Cell(NamedTuple):
    """agent x scenario x contract x twin, with its k attempts."""

    agent: str
    suite: str
    scenario: str
    contract: str
    twin: str
    verdict: CellVerdict
    mark: Mark
    attempts: tuple[Result, ...]

    @property
    def passed(self) -> int:
        return sum(1 for item in self.attempts if item.verdict == "pass")

    @property
    def codes(self) -> tuple[str, ...]:
        return tuple(sorted({code for item in self.attempts for code in item.codes}))

    @property
    def deterministic(self) -> bool:
        """All traces equal apart from ids and times: it counts as one trial."""
        return len({item.shape for item in self.attempts}) == 1


class GroupResult(NamedTuple):
    """All twins and the clean run of one agent in one scenario under one contract."""

    agent: str
    suite: str
    scenario: str
    contract: str
    verdict: CellVerdict
    cells: tuple[Cell, ...]

    def cell(self, twin: str) -> Cell | None:
        return next((item for item in self.cells if item.twin == twin), None)


def cells_of(results: Iterable[Result]) -> list[Cell]:
    """Results gathered into cells, in order of first appearance by number."""
    table: dict[tuple[str, str, str, str], list[Result]] = {}
    for item in sorted(results):
        table.setdefault(item.cell_key, []).append(item)
    return [
        Cell(
            first.agent, first.suite, first.scenario, first.contract, first.twin,
            merge_cell(item.verdict for item in items), worst(item.mark for item in items), tuple(items),
        )
        for items in table.values()
        for first in items[:1]
    ]


def groups_of(cells: Sequence[Cell]) -> list[GroupResult]:
    """Cells gathered into groups."""
    table: dict[tuple[str, str, str], list[Cell]] = {}
    for item in cells:
        table.setdefault((item.agent, item.scenario, item.contract), []).append(item)
    return [
        GroupResult(
            agent, items[0].suite, scenario, contract, merge_group(item.verdict for item in items), tuple(items)
        )
        for (agent, scenario, contract), items in table.items()
    ]
