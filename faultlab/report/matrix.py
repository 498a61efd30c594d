"""The recovery matrix as data: which mark stands where, how many groups passed, which findings are worst.

Nothing here knows how wide a terminal is; `report/text.py` draws it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from faultlab.core.profiles import PROFILES
from faultlab.core.result import Cell, CellKey, GroupResult, Result, groups_of
from faultlab.core.verdict import SEVERITIES, Mark, Severity, worst
from faultlab.rules.catalog import CATALOG

CLEAN = "clean"
LATE = ("late_network", "late_server")
SUITES = ("boundary", "natural", "broken_promise")
"""In the order in which they are printed. They are never averaged together."""


SECOND = "-second"
"""How the variant is named in which the fault strikes the second of two writes."""
FOLD_ABOVE = 30
"""With more rows than these, second variants that add nothing to see are only counted."""


class Entry(NamedTuple):
    """One agent in one row."""

    marks: tuple[Mark | None, ...]
    """One for each twin of the row; None for a twin that was not run."""
    clean: Mark | None
    """The mark of the clean run where it failed and stands beside other twins, else None."""
    passed: bool
    """The whole group passed: every twin and the clean run."""

    @property
    def width(self) -> int:
        """Characters: a glyph a twin, and a slash with the glyph of a clean run that failed."""
        return len(self.marks) + (0 if self.clean is None else 2)


class Row(NamedTuple):
    """One scenario under one contract."""

    scenario: str
    contract: str
    twins: tuple[str, ...]
    """What the marks of its entries stand for, left to right."""
    entries: Mapping[str, Entry]
    """Agent -> entry; an agent that was not run here is absent."""
    first: bool
    """The first row of its scenario."""

    @property
    def name(self) -> str:
        """The first row names its scenario, those under it only their contract."""
        if self.contract == "none":
            return self.scenario
        return f"{self.scenario} + {self.contract}" if self.first else f"  + {self.contract}"


class Section(NamedTuple):
    """One suite."""

    suite: str
    agents: tuple[str, ...]
    rows: tuple[Row, ...]
    passed: Mapping[str, int]
    """Agent -> groups passed."""
    groups: Mapping[str, int]
    """Agent -> groups run."""
    folded: tuple[str, ...] = ()
    """Second variants without a row of their own: in every cell they came out like the scenario they vary."""

    @property
    def total(self) -> int:
        """Groups of the suite that were run."""
        return max(self.groups.values(), default=0)


class FindingRow(NamedTuple):
    """One code over all cells."""

    code: str
    title: str
    severity: Severity
    cells: int
    example: Result
    """The attempt that shows it best."""


class MatrixTable(NamedTuple):
    """All that a summary of a run shows."""

    sections: tuple[Section, ...]
    findings: tuple[FindingRow, ...]
    """Worst first. They failed an attempt."""
    notes: tuple[FindingRow, ...]
    """They failed nothing."""


def matrix_of(cells: Sequence[Cell], agents: Sequence[str] = ()) -> MatrixTable:
    """`agents` gives the order of the columns; others follow in order of their names."""
    groups = groups_of(cells)
    order = {name: place for place, name in enumerate(agents)}
    names = sorted({group.agent for group in groups}, key=lambda name: (order.get(name, len(order)), name))
    suites = sorted({group.suite for group in groups}, key=_suite_place)
    sections = [_section(suite, names, [item for item in groups if item.suite == suite]) for suite in suites]
    findings = _findings(cells)
    return MatrixTable(
        tuple(sections),
        tuple(item for item in findings if item.severity != "note"),
        tuple(item for item in findings if item.severity == "note"),
    )


def _suite_place(suite: str) -> tuple[int, str]:
    return (SUITES.index(suite) if suite in SUITES else len(SUITES), suite)


def _section(suite: str, agents: Sequence[str], groups: Sequence[GroupResult]) -> Section:
    present = tuple(name for name in agents if any(group.agent == name for group in groups))
    rows = tuple(_rows(groups))
    folded = _alike(rows) if len(rows) > FOLD_ABOVE else ()
    return Section(
        suite,
        present,
        tuple(row for row in rows if row.scenario not in folded),
        {name: sum(1 for item in groups if item.agent == name and item.verdict == "PASS") for name in present},
        {name: sum(1 for item in groups if item.agent == name) for name in present},
        folded,
    )


def _alike(rows: Sequence[Row]) -> tuple[str, ...]:
    """The second variants whose every row equals that of the scenario they vary."""
    entries: dict[str, dict[str, Mapping[str, Entry]]] = {}
    for row in rows:
        entries.setdefault(row.scenario, {})[row.contract] = row.entries
    return tuple(
        name for name, found in entries.items()
        if name.endswith(SECOND) and entries.get(name.removesuffix(SECOND)) == found
    )  # fmt: skip


def _rows(groups: Sequence[GroupResult]) -> Iterable[Row]:
    """Scenarios by name, so that a `-second` variant stands after its own; contracts as the profiles list them."""
    table: dict[tuple[str, str], list[GroupResult]] = {}
    for group in groups:
        table.setdefault((group.scenario, group.contract), []).append(group)
    seen: set[str] = set()
    for scenario, contract in sorted(table, key=_row_place):
        members = table[scenario, contract]
        twins = _columns([group for group in groups if group.scenario == scenario])
        entries = {group.agent: _entry(group, twins) for group in members}
        yield Row(scenario, contract, twins, entries, scenario not in seen)
        seen.add(scenario)


CONTRACT_ORDER = tuple(PROFILES)


def _row_place(key: tuple[str, str]) -> tuple[str, int, str]:
    scenario, contract = key
    known = contract in CONTRACT_ORDER
    return scenario, CONTRACT_ORDER.index(contract) if known else len(CONTRACT_ORDER), contract


TWIN_ORDER = (CLEAN, "never", "committed", "late", *LATE)


def twin_place(twin: str) -> tuple[int, str]:
    """A twin's place among those of its group: the built-in ones in order of what they hide, others by name."""
    return TWIN_ORDER.index(twin) if twin in TWIN_ORDER else len(TWIN_ORDER), twin


def _columns(groups: Sequence[GroupResult]) -> tuple[str, ...]:
    """The twins that have a mark: both kinds of `late` share one, and `clean` stands alone or not at all."""
    names = {column_of(cell.twin) for group in groups for cell in group.cells}
    twins = sorted(names - {CLEAN}, key=lambda name: (TWIN_ORDER.index(name) if name in TWIN_ORDER else 9, name))
    return tuple(twins) or (CLEAN,)


def column_of(twin: str) -> str:
    """The column that a twin is shown in."""
    return "late" if twin in LATE else twin


def _entry(group: GroupResult, twins: Sequence[str]) -> Entry:
    found: dict[str, list[Mark]] = {}
    for cell in group.cells:
        found.setdefault(column_of(cell.twin), []).append(cell.mark)
    marks = tuple(worst(found[twin]) if twin in found else None for twin in twins)
    clean = group.cell(CLEAN)
    shown = clean is not None and twins != (CLEAN,) and clean.mark != "pass"
    return Entry(marks, clean.mark if clean is not None and shown else None, group.verdict == "PASS")


def _findings(cells: Iterable[Cell]) -> list[FindingRow]:
    """Each code that was found, with its worst severity; what others caused is not counted."""
    places: dict[str, set[CellKey]] = {}
    severities: dict[str, Severity] = {}
    examples: dict[str, Result] = {}
    for result in (way for cell in cells for way in cell.ways):
        for finding in result.findings:
            if finding.cause != "agent":
                continue
            code = finding.code
            places.setdefault(code, set()).add(result.cell_key)
            severities[code] = min(severities.get(code, finding.severity), finding.severity, key=SEVERITIES.index)
            examples[code] = min(examples.get(code, result), result, key=_clarity)
    rows = [
        FindingRow(code, title_of(code), severities[code], len(where), examples[code]) for code, where in places.items()
    ]
    return sorted(rows, key=lambda row: (SEVERITIES.index(row.severity), -row.cells, row.code))


Clarity = tuple[int, tuple[str, int, str], tuple[int, str], int]


def _clarity(result: Result) -> Clarity:
    """Least for the attempt that shows a code best: little else found, the plainest contract and twin, the earliest."""
    return len(result.codes), _row_place((result.scenario, result.contract)), twin_place(result.twin), result.number


def title_of(code: str) -> str:
    """A rule's short name; the code itself where this version does not know it (an older run)."""
    rule = CATALOG.get(code)
    return code if rule is None else rule.title


def excluded_of(cells: Iterable[Cell]) -> Mapping[str, int]:
    """Why attempts were inconclusive -> in how many cells."""
    reasons: Counter[str] = Counter()
    for cell in cells:
        broken = (item.excluded_reason for item in cell.ways if item.verdict == "infra_error")
        reasons.update({reason.partition(":")[0] or "no reason given" for reason in broken})
    return reasons


def worst_cell(cells: Iterable[Cell]) -> Cell | None:
    """The cell to reproduce first: the most severe finding, where it is plainest."""
    failed = [cell for cell in cells if cell.verdict == "FAIL"]

    def place(cell: Cell) -> tuple[int, Clarity]:
        severities = [
            SEVERITIES.index(item.severity) for result in cell.ways for item in result.findings
            if item.cause == "agent"
        ]  # fmt: skip
        return min(severities, default=len(SEVERITIES)), min(_clarity(result) for result in cell.ways)

    return min(failed, key=place, default=None)
