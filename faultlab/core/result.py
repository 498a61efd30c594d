"""One judged attempt without its history: what summaries, matrices and JSON are made of. Light, and picklable."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from faultlab.core.verdict import (
    AttemptVerdict,
    CellVerdict,
    Finding,
    Mark,
    Score,
    added,
    merge_cell,
    merge_group,
    worst,
)

CellKey = tuple[str, str, str, str]
"""Agent, scenario, contract, twin."""


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
    attempt: int
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
    scores: tuple[Score, ...] = ()
    """By group of rules."""

    @property
    def cell_key(self) -> CellKey:
        return self.agent, self.scenario, self.contract, self.twin

    @property
    def codes(self) -> frozenset[str]:
        """The codes that failed the attempt."""
        return frozenset(item.code for item in self.findings if item.severity != "note" and item.cause == "agent")


WAYS = 20
"""Ways kept of one cell; further ones are counted, and kept only if they bring a new verdict or code."""


class Cell(NamedTuple):
    """agent x scenario x contract x twin, with what its attempts came to."""

    agent: str
    suite: str
    scenario: str
    contract: str
    twin: str
    verdict: CellVerdict
    mark: Mark
    made: int
    """Attempts made."""
    passed: int
    ways: tuple[Result, ...]
    """The first attempt of each way in which attempts of this cell went, by number."""
    deterministic: bool
    """All traces equal apart from ids and times: it counts as one trial."""
    scores: tuple[Score, ...] = ()
    """Of all its attempts, by group of rules."""

    @property
    def codes(self) -> tuple[str, ...]:
        return tuple(sorted({code for item in self.ways for code in item.codes}))


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


class Tally:
    """Gathers results into cells. Its size depends on the cells and their ways, not on the number of attempts."""

    __slots__ = ("_counts", "_passed", "_scores", "_shapes", "_ways", "cost", "count")

    def __init__(self) -> None:
        self._ways: dict[CellKey, dict[tuple[str, frozenset[str], str], Result]] = {}
        self._counts: Counter[CellKey] = Counter()
        self._passed: Counter[CellKey] = Counter()
        self._shapes: dict[CellKey, str | None] = {}
        self._scores: dict[CellKey, tuple[Score, ...]] = {}
        self.count = 0
        self.cost = 0.0

    def add(self, result: Result) -> None:
        key = result.cell_key
        self.count += 1
        self.cost += result.cost
        self._counts[key] += 1
        self._passed[key] += result.verdict == "pass"
        if self._shapes.setdefault(key, result.shape) != result.shape:
            self._shapes[key] = None
        self._scores[key] = added((*self._scores.get(key, ()), *result.scores))
        ways = self._ways.setdefault(key, {})
        codes = result.codes
        way = (result.verdict, codes, result.shape if len(ways) < WAYS else "")
        known = ways.get(way)
        if known is None or result.number < known.number:
            ways[way] = result

    def cells(self) -> list[Cell]:
        """In order of their first attempts."""
        made = []
        for key, ways in self._ways.items():
            kept = tuple(sorted(ways.values()))
            first = kept[0]
            made.append(
                Cell(
                    first.agent,
                    first.suite,
                    first.scenario,
                    first.contract,
                    first.twin,
                    merge_cell(item.verdict for item in kept),
                    worst(item.mark for item in kept),
                    self._counts[key],
                    self._passed[key],
                    kept,
                    self._shapes[key] is not None,
                    self._scores[key],
                )
            )
        return sorted(made, key=lambda cell: cell.ways[0].number)


def cells_of(results: Iterable[Result]) -> list[Cell]:
    """The cells of some results at once."""
    tally = Tally()
    for item in results:
        tally.add(item)
    return tally.cells()


def groups_of(cells: Sequence[Cell]) -> list[GroupResult]:
    """Cells gathered into groups."""
    table: dict[tuple[str, str, str], list[Cell]] = {}
    for item in cells:
        table.setdefault((item.agent, item.scenario, item.contract), []).append(item)
    return [
        GroupResult(
            agent,
            items[0].suite,
            scenario,
            contract,
            merge_group(item.verdict for item in items),
            tuple(items),
        )
        for (agent, scenario, contract), items in table.items()
    ]
