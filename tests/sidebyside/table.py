"""Measures the subjects and prints the tables of docs/side-by-side.md: `python tests/sidebyside/table.py`."""

import sys
from collections.abc import Iterator
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from sidebyside.catalog import SUBJECTS
from sidebyside.measure import Measured, counted, measure

from faultlab.core.result import GroupResult
from faultlab.core.verdict import GLYPHS
from faultlab.matrix.scenario import CLEAN

HEADS = (
    "subject", "version", "groups", "duplicates", "missing", "untrue", "early", "handed over", "queries",
    "over budget",
)  # fmt: skip


def subjects_table(found: Measured) -> Iterator[str]:
    """One line a subject: what its attempts came to."""
    yield f"| | {' | '.join(HEADS)} |"
    yield "|---" * (len(HEADS) + 1) + "|"
    for number, subject in enumerate(SUBJECTS, 1):
        passed, groups, *counts = counted(found, subject.agent)
        told = " | ".join(map(str, counts))
        yield f"| {number} | {subject.name} | {subject.release} | {passed} of {groups} | {told} |"


def groups_table(found: Measured) -> Iterator[str]:
    """One line a group: where each subject landed, twin by twin."""
    yield f"| scenario, contract | twins | {' | '.join(str(number) for number in range(1, len(SUBJECTS) + 1))} |"
    yield "|---" * (len(SUBJECTS) + 2) + "|"
    by_subject = [{(item.scenario, item.contract): item for item in found.groups[one.agent]} for one in SUBJECTS]
    for scenario, contract, twins in found.order:
        cells = [marks(groups[scenario, contract], twins) for groups in by_subject]
        yield f"| `{scenario}` {contract} | {', '.join(twins)} | {' | '.join(cells)} |"


def marks(group: GroupResult, twins: tuple[str, ...]) -> str:
    """A glyph a twin; the clean run is shown where it fails."""
    by_twin = {cell.twin: GLYPHS[cell.mark] for cell in group.cells}
    shown = "".join(by_twin[twin] for twin in twins)
    return shown if by_twin[CLEAN] == GLYPHS["pass"] else f"{shown}/{by_twin[CLEAN]}"


def tables(found: Measured) -> tuple[str, str]:
    """Both, as they stand in the page."""
    return "\n".join(subjects_table(found)), "\n".join(groups_table(found))


if __name__ == "__main__":
    print(*tables(measure()), sep="\n\n")
