"""The matrix as drawn: it fits, each agent keeps its column, and the signs can be had without Unicode."""

import io
from itertools import product

import pytest
from report.samples import DUPLICATE, GAVE_UP, NO_KEY, RESENT, result
from rich.console import Console

from faultlab.core.result import Result, cells_of
from faultlab.report.heads import Head, heads_of
from faultlab.report.matrix import matrix_of
from faultlab.report.screen import Screen
from faultlab.report.summary import Summary, summary_lines
from faultlab.report.text import matrix_lines

AGENTS = (
    "blind_retry", "never_retry", "fresh_key", "same_key", "query_once", "overwriter", "claimer", "giver_up",
    "careful", "my_agent:run",
)  # fmt: skip
TWINS = ("clean", "never", "committed", "late_network", "late_server")
# One agent a kind of ending, so that every agent's column reads differently from its neighbours'.
ENDINGS = [(), (DUPLICATE,), (GAVE_UP,), (RESENT, NO_KEY)]


def run_of(agents: tuple[str, ...] = AGENTS) -> list[Result]:
    places = product(enumerate(agents), ("lost-receipt", "a-scenario-with-quite-a-long-name"), TWINS)
    return [
        result(number, twin, *ENDINGS[(place + len(twin)) % len(ENDINGS)], agent=agent, scenario=scenario)
        for number, ((place, agent), scenario, twin) in enumerate(places, 1)
    ]


def summary(results: list[Result], **changes: object) -> Summary:
    given = {
        "run": 3,
        "seed": 7,
        "agents": AGENTS,
        "cells": cells_of(results),
        "attempts": 1,
        "exit_code": 1,
        **changes,
    }
    return Summary(**given)  # type: ignore[arg-type]  # a mapping of its own fields


@pytest.mark.parametrize("width", [50, 60, 80, 100, 120, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    for line in summary_lines(summary(run_of()), width):
        if not line.plain.lstrip().startswith("faultlab "):  # a command is never cut
            assert len(line.plain.rstrip()) <= width, line.plain


@pytest.mark.parametrize("width", [60, 80, 120])
def test_every_agent_has_its_own_marks_under_its_own_head(width: int) -> None:
    results = run_of()
    (section,) = matrix_of(cells_of(results), AGENTS).sections
    row = next(item for item in section.rows if item.scenario == "lost-receipt")
    glyphs = {"pass": "✓", "harm": "✗", "wrong": "!", "inconclusive": "?"}
    heads = dict(zip(AGENTS, heads_of(AGENTS), strict=True))
    lines = [line.plain for line in matrix_lines(matrix_of(cells_of(results), AGENTS), width)]
    seen = []
    for number, line in enumerate(lines):
        if not line.startswith("BOUNDARY"):
            continue
        marks = next(item for item in lines[number:] if item.startswith("lost-receipt"))
        here = {agent: column_under(head, line, lines[number + 1]) for agent, head in heads.items()}
        for agent, place in sorted(here.items(), key=lambda item: item[1]):
            if place >= 0:
                seen.append(agent)
                expected = "".join(glyphs[mark] for mark in row.entries[agent].marks)
                assert marks[place:].startswith(expected), (agent, width)
    assert seen == list(AGENTS)


def column_under(head: Head, upper: str, lower: str) -> int:
    """Where both lines of a head begin, -1 if they do not stand one above the other."""
    places = [place + 1 for place in range(len(lower)) if f"{lower} "[place:].startswith(f" {head.lower} ")]
    upper = upper.ljust(len(lower) + 20)
    return next((place for place in places if upper[place:].startswith(f"{head.upper} ")), -1)


def test_narrow_terminals_get_more_blocks_not_fewer_agents() -> None:
    table = matrix_of(cells_of(run_of()), AGENTS)
    blocks = {
        width: sum(line.plain.startswith("BOUNDARY") for line in matrix_lines(table, width)) for width in (60, 160)
    }
    assert blocks[160] == 1
    assert blocks[60] > 1


def test_pass_counts_whole_groups() -> None:
    results = [result(1, "never"), result(2, "committed", RESENT), result(3, "never", scenario="other")]
    lines = [line.plain for line in matrix_lines(matrix_of(cells_of(results)), 80)]
    (line,) = [item for item in lines if item.startswith("PASS of 2")]
    assert line.split()[-1] == "1"


def test_two_agents_never_look_the_same() -> None:
    heads = heads_of(["one/folder/agents/a.py:run", "two/folder/agents/a.py:run", "careful"])
    assert len({(head.upper, head.lower) for head in heads}) == 3


@pytest.mark.parametrize(("name", "upper", "lower"), [
    ("blind_retry", "blind", "retry"), ("careful", "", "careful"), ("overwriter", "over-", "writer"),
])  # fmt: skip
def test_names_break_where_a_reader_would_break_them(name: str, upper: str, lower: str) -> None:
    (head,) = heads_of([name])
    assert (head.upper, head.lower) == (upper, lower)


def shown(encoding: str, monkeypatch: pytest.MonkeyPatch, **environment: str) -> str:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding)
    screen = Screen(Console(file=file, width=80, force_terminal=True, highlight=False))
    screen.show(summary_lines(summary(run_of()), screen.width))
    file.flush()
    return raw.getvalue().decode(encoding)


def test_an_ascii_stream_gets_ascii_and_the_same_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = shown("ascii", monkeypatch, NO_COLOR="1", TERM="xterm")
    unicode = shown("utf-8", monkeypatch, NO_COLOR="1", TERM="xterm")
    assert plain.isascii()
    assert [len(line) for line in plain.splitlines()] == [len(line) for line in unicode.splitlines()]


def test_a_dumb_terminal_gets_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown("utf-8", monkeypatch, TERM="dumb").isascii()


def test_no_columns_at_all_are_as_good_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "0")
    file = io.StringIO()
    Screen.of(file).show(["something"])
    assert file.getvalue() == "something\n"


def test_what_an_agent_says_does_not_steer_the_terminal() -> None:
    file = io.StringIO()
    Screen.of(file, width=80).show(["ValueError: \x1b[2J\x9b2J\x7f"])
    assert file.getvalue() == "ValueError: ␛[2J�2J␡\n"


def test_no_color_is_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[3" in shown("utf-8", monkeypatch, TERM="xterm")
    assert "\x1b[3" not in shown("utf-8", monkeypatch, TERM="xterm", NO_COLOR="1")


def text_of(given: Summary) -> str:
    return "\n".join(line.plain for line in summary_lines(given, 300))


def test_equal_traces_are_told_as_one_trial() -> None:
    steady = [result(number, "never", attempt=number) for number in (1, 2)]
    shaky = [result(number, "committed", attempt=number, shape=str(number)) for number in (3, 4)]
    told = text_of(summary([*steady, *shaky], attempts=2, agents=("one",), exit_code=0))
    assert "traces of all 2 attempts equal in 1 of 2 cells" in told


def test_cells_that_lack_attempts_say_nothing_of_steadiness() -> None:
    begun = [result(1, "never", DUPLICATE)]
    told = text_of(summary(begun, attempts=5, agents=("one",), unmade=4))
    assert "traces of all" not in told and "no cell has all its 5 attempts" in told
    assert "Stopped early, after 1 of 5 attempts" in told
    whole = [result(number, "committed", attempt=number) for number in range(2, 7)]
    assert "5 attempts equal in 1 of 1 cell:" in text_of(summary([*begun, *whole], attempts=5, agents=("one",)))


def test_the_command_to_reproduce_names_the_whole_cell() -> None:
    given = summary([result(1, "never", DUPLICATE, contract="status", agent="my agent")], options=("--clock", "real"))
    told = text_of(given)
    assert "faultlab run 'my agent' -s lost-receipt --contract status --twin never --seed 7 --clock real" in told


def test_surprises_of_the_calibration_are_listed() -> None:
    given = summary([result(1, "never")], calibration=True, exit_code=4, surprises=["blind_retry a/b/c: expected ✗"])
    assert "SURPRISE blind_retry a/b/c: expected ✗" in text_of(given)
    assert "exit 4" in text_of(given)
