"""The table of scores, at any width."""

import pytest

from faultlab.core.result import Cell
from faultlab.core.verdict import Score
from faultlab.report.scores import score_lines, shown


def cell(agent: str, suite: str, *scores: Score) -> Cell:
    return Cell(agent, suite, "s", "none", "never", "PASS", "pass", 1, 1, (), True, scores)


CELLS = [
    cell("one", "boundary", Score("effects", 3, 4), Score("keys", 1, 2)),
    cell("one", "boundary", Score("effects", 4, 4)),
    cell("two", "boundary", Score("effects", 9, 9)),
    cell("one", "natural", Score("effects", 1, 1)),
]


def lines(width: int) -> list[str]:
    return [line.plain for line in score_lines(CELLS, ["one", "two"], width)]


def test_scores_of_an_agent_are_added_within_a_suite_and_never_over_suites() -> None:
    told = lines(120)
    boundary, natural = told[: told.index("")], told[told.index("") + 1 :]
    assert boundary[2].split() == ["one", "7/8", "n/a", "1/2", *["n/a"] * 5]
    assert boundary[3].split() == ["two", "9/9", *["n/a"] * 7]
    assert natural[2].split() == ["one", "1/1", *["n/a"] * 7]
    assert len([line for line in natural if line.startswith("two")]) == 0


@pytest.mark.parametrize("width", [50, 60, 80, 120])
def test_every_line_fits_and_every_number_is_told(width: int) -> None:
    told = lines(width)
    assert all(len(line) <= width for line in told)
    text = " ".join(" ".join(told).split())
    assert all(part in text for part in ("7/8", "1/2", "9/9", "1/1", "n/a"))


def test_nothing_judged_is_not_a_score() -> None:
    assert shown(None) == shown(Score("keys", 0, 0)) == "n/a"
    assert shown(Score("keys", 0, 3)) == "0/3"
