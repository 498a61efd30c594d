"""Everything that a run prints around its matrix: head, validity, determinism, exit, and how to make it again."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rich.text import Text

from faultlab.core.result import Cell
from faultlab.report.matrix import CLEAN, MatrixTable, excluded_of, matrix_of, worst_cell
from faultlab.report.scores import score_lines
from faultlab.report.screen import prose
from faultlab.report.text import finding_lines, matrix_lines

EXIT_WORDS = {
    0: "exit 0",
    1: "exit 1: findings",
    3: "exit 3: inconclusive",
    4: "exit 4: the lab itself is at fault",
    130: "interrupted, exit 130",
}  # fmt: skip

MOST_SURPRISES = 20
"""Lines of cells that did not land where they must; the first few say what is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """A run as its report sees it; a stored run has no validity and no surprises."""

    run: int
    seed: int
    agents: Sequence[str]
    cells: Sequence[Cell]
    attempts: int
    calibration: bool = False
    exit_code: int | None = None
    """None: nothing was run now, a stored run is shown."""
    oracle: tuple[int, int] | None = None
    """Cells that the oracle passes, of how many."""
    null_cells: int = 0
    """Cells that the agent which does nothing passes."""
    invalid: Sequence[str] = ()
    """`GROUP: why` for each reason for which a group cannot judge."""
    invalid_own: bool = False
    """All of those are of the user's own scenarios."""
    surprises: Sequence[str] = ()
    """Cells of the calibration that did not land where the contract predicts."""
    real_clock: bool = False
    store: str = ""
    options: Sequence[str] = ()
    """Options that a command to reproduce must repeat: the clock, allowed hosts."""
    store_options: Sequence[str] | None = ()
    """Options by which `show` finds the attempts; empty for the usual store, None where they were not kept."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Scenario id -> the file by which the user named it."""
    unmade: int = 0
    """Attempts that were planned and not made: the run stopped early."""
    left_out: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Why a socket cannot show a plan -> the scenarios that programs were therefore not tried in."""
    cells_left_out: int = 0
    """Cells of the groups shown that were not asked for (--twin, -k, --last-failed)."""


def head_parts(
    version: str,
    seed: int,
    agents: Sequence[str],
    scenarios: int,
    groups: int,
    attempts: int,
    *,
    clock: str,
    calibration: bool,
    more: Sequence[str] = (),
) -> list[Text]:
    """faultlab 0.1.0, seed 7, 9 reference agents x 24 groups of 6 scenarios, 5 attempts a cell, virtual clock."""
    kind = "reference agent" if calibration else "agent"
    who = counted(len(agents), kind) if len(agents) > 1 or calibration else agents[0]
    what = f"{who} x {counted(groups, 'group')} of {counted(scenarios, 'scenario')}"
    parts = [f"faultlab {version}", f"seed {seed}", what, f"{counted(attempts, 'attempt')} a cell", f"{clock} clock"]
    return [Text(part) for part in (*parts, *more)]


def counted(number: int, noun: str) -> str:
    """`1 group`, `1,890 attempts`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def summary_lines(summary: Summary, width: int) -> Iterator[Text]:
    """The report of a run, from its validity to its last command."""
    cells = summary.cells
    table = matrix_of(cells, summary.agents)
    yield from _validity(summary, cells, width)
    yield Text()
    yield from matrix_lines(table, width)
    yield from finding_lines(table, summary.run, width, summary.store_options)
    yield Text()
    yield from score_lines(cells, summary.agents, width)
    yield from _plain(_determinism(cells, summary.attempts), width)
    for reason, count in excluded_of(cells).items():
        yield from _plain(f"{counted(count, 'cell')} inconclusive: {reason}", width)
    yield from _errors(cells, width)
    for why, names in summary.left_out.items():
        yield from _plain(f"Not tried over a socket ({why}): {', '.join(names)}.", width)
    if summary.cells_left_out:
        left_out = counted(summary.cells_left_out, "cell")
        yield from _plain(f"Not asked for: {left_out} of these groups; a group passes here without them", width)
    if summary.unmade:
        yield from _plain(_stopped(cells, summary.unmade), width, "yellow")
    if summary.exit_code is not None:
        yield from _plain(_not_tested(summary), width)
    yield from _end(summary, table, width)
    yield from _again(summary, cells, width)


def _plain(text: str, width: int, style: str = "") -> Iterator[Text]:
    yield from (Text(line, style) for line in prose(text, width, "  ", ""))


def _validity(summary: Summary, cells: Sequence[Cell], width: int) -> Iterator[Text]:
    """What the oracle, the null agent and the clean runs say about the groups themselves."""
    if summary.oracle is not None:
        solved, all_cells = summary.oracle
        clean = [cell for cell in cells if cell.twin == CLEAN]
        passing = sum(cell.verdict == "PASS" for cell in clean)
        runs = "clean runs pass" if passing == len(clean) else f"clean runs pass in {passing} of {len(clean)} cells"
        unfired = sum(any(item.code == "FL901" for way in cell.ways for item in way.findings) for cell in cells)
        fired = (
            f"in {counted(unfired, 'cell')} a required fault did not fire" if unfired else "every required fault fired"
        )
        line = f"oracle solves {solved}/{all_cells} cells, null agent {summary.null_cells}/{all_cells}, {runs}, {fired}"
        yield from _plain(line, width, "dim")
    for where, why in unfit_groups(summary.invalid):
        yield from _plain(f"INVALID GROUP{'S' * (len(where) > 1)} {', '.join(where)}: {why}", width, "bold red")


def unfit_groups(invalid: Sequence[str]) -> Iterator[tuple[Sequence[str], str]]:
    """Groups and what is wrong with all of them."""
    found: dict[str, list[str]] = {}
    for problem in invalid:
        where, _, why = problem.partition(": ")
        found.setdefault(why, []).append(where)
    yield from ((where, why) for why, where in found.items())


def _determinism(cells: Sequence[Cell], attempts: int) -> str:
    """Only a cell with all its attempts says how steady its agent is."""
    if attempts < 2:
        return "1 attempt a cell: nothing is said about how steady the agents are"
    whole = [cell for cell in cells if cell.made >= attempts]
    if not whole:
        return f"no cell has all its {attempts} attempts: nothing is said about how steady the agents are"
    equal = sum(cell.deterministic for cell in whole)
    line = f"traces of all {attempts} attempts equal in {equal} of {counted(len(whole), 'cell')}"
    return f"{line}: those count once, no interval is given" if equal else line


def _stopped(cells: Sequence[Cell], unmade: int) -> str:
    """What an early end means for the verdicts."""
    made = sum(cell.made for cell in cells)
    return (
        f"Stopped early, after {made:,} of {counted(made + unmade, 'attempt')}: a cell that lacks one does not pass; "
        "where it did not fail it is inconclusive"
    )


def _errors(cells: Sequence[Cell], width: int) -> Iterator[Text]:
    """The first error of each agent that ended without a claim, with the line that raised it."""
    told: set[str] = set()
    for result in (way for cell in cells for way in cell.ways):
        if result.error and result.agent not in told:
            told.add(result.agent)
            yield from _plain(f"{result.agent} ended by itself ({result.end}): {result.error}", width, "yellow")


def _not_tested(summary: Summary) -> str:
    """What this run says nothing about."""
    parts = []
    if summary.calibration:
        parts.append("your agent (faultlab run my_agent:run)")
    programs = all(agent.startswith("cmd:") for agent in summary.agents)
    if not summary.real_clock and not programs:
        parts.append("real time (--clock real)")
    if not programs:
        parts.append("real sockets (an agent that is a program, cmd:..., or faultlab serve)")
    if not parts:
        return "Not tested here: other agents than these."
    return f"Not tested here: {', '.join(parts)}."


def _end(summary: Summary, table: MatrixTable, width: int) -> Iterator[Text]:
    """Who passed what, and with which code the command ends."""
    if summary.exit_code is None:
        return
    stored = f" Attempts: {summary.store}." if summary.store else ""
    if summary.calibration:
        if not summary.surprises and summary.unmade:
            said = "Stopped early: not every cell was tried"
        elif not summary.surprises:
            said = f"All {counted(len(summary.agents), 'agent')} landed where the contract predicts"
        else:
            said = f"{counted(len(summary.surprises), 'cell')} did not land where the contract predicts"
            for line in summary.surprises[:MOST_SURPRISES]:
                yield from (Text(part, "red") for part in prose(line, width, "    ", "  SURPRISE "))
            if len(summary.surprises) > MOST_SURPRISES:
                yield Text(f"  ... and {len(summary.surprises) - MOST_SURPRISES} more", "red")
    else:
        said = "; ".join(_of_agent(name, table) for name in summary.agents)
    if summary.invalid:
        said = f"{said}; {counted(len({item.partition(': ')[0] for item in summary.invalid}), 'group')} cannot judge"
    style = "bold green" if summary.exit_code == 0 else "bold red" if summary.exit_code in (1, 4) else "bold"
    yield from _plain(f"{said}: {_exit_words(summary, summary.exit_code)}.{stored}", width, style)


def _exit_words(summary: Summary, code: int) -> str:
    if code == 4 and summary.invalid and summary.invalid_own and not summary.surprises:
        return "exit 4: your scenario is likely wrong, see INVALID GROUP above"
    return EXIT_WORDS.get(code, f"exit {code}")


def _of_agent(name: str, table: MatrixTable) -> str:
    """`my_agent:run passes 20 of 24 boundary groups and 1 of 6 natural ones`: suites are never added up."""
    parts = [
        f"{section.passed[name]} of {section.groups[name]} {section.suite.replace('_', ' ')} groups"
        for section in table.sections
        if name in section.groups
    ]
    return f"{name} passes {' and '.join(parts) or 'nothing: no attempt was made'}"


def _again(summary: Summary, cells: Sequence[Cell], width: int) -> Iterator[Text]:
    worst = worst_cell(cells)
    if worst is None:
        return
    command = reproduce(worst, summary)
    if len("Reproduce the worst cell: ") + len(command) <= width:
        yield Text.assemble("Reproduce the worst cell: ", (command, "cyan"))
    else:
        yield Text("Reproduce the worst cell:")
        yield from (Text(line, "cyan") for line in prose(command, width, "    ", "  "))


def reproduce(cell: Cell, summary: Summary) -> str:
    """The command that makes one cell again."""
    scenario = summary.names.get(cell.scenario, cell.scenario)
    where = ["-s", scenario, "--contract", cell.contract, "--twin", cell.twin, "--seed", str(summary.seed)]
    words = ["faultlab", "run", cell.agent, *where, *summary.options, *(summary.store_options or ())]
    return shlex.join(words)
