"""The matrix and the findings of a run as lines of text, at any width."""

import shlex
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.text import Text

from faultlab.core.verdict import GLYPHS, Mark
from faultlab.report.heads import Head, heads_of
from faultlab.report.matrix import SECOND, Entry, FindingRow, MatrixTable, Row, Section
from faultlab.report.screen import MARK_STYLES, SEVERITY_STYLES, cut, flowing, mark_text, padded, prose

NAME_SHARE = 0.4
"""The part of a line that names of scenarios may take."""

TITLE_WIDTH = 44
NUMBERS_WIDTH = 14
"""Columns of a finding's title, and of its severity and number of cells together."""

SUITE_TITLES = {"boundary": "BOUNDARY", "natural": "NATURAL", "broken_promise": "BROKEN PROMISE"}
SHORT_TWINS = {"never": "nev", "committed": "com"}

LEGEND: tuple[tuple[Mark, str], ...] = (
    ("pass", "pass"), ("harm", "harm or false claim"), ("wrong", "no harm, wrong move (luck or over-caution)"),
    ("inconclusive", "inconclusive"),
)  # fmt: skip


def matrix_lines(table: MatrixTable, width: int) -> Iterator[Text]:
    """Every suite in its own section, each in as many blocks of agents as the width needs, then the legend."""
    for section in table.sections:
        yield from section_lines(section, width)
        yield Text()
    yield from legend_lines(table, width)


def section_lines(section: Section, width: int) -> Iterator[Text]:
    """One suite."""
    wanted = max([len(row.name) for row in section.rows] + [len(_pass_label(section)), len(_twins_label(section))])
    names = min(wanted, int(width * NAME_SHARE))
    for number, block in enumerate(_blocks(section, width - names)):
        if number:
            yield Text()
        yield from _block_lines(section, block, names)
    if section.folded:
        told = f"not shown: {len(section.folded)} {SECOND} variants, alike in every cell; --json has them"
        yield from (Text(line) for line in prose(told, width))


class Column(NamedTuple):
    """One agent of a block."""

    agent: str
    head: Head
    gap: int
    width: int
    """Without the gap before it."""

    def cell(self, text: str) -> str:
        return " " * self.gap + text.ljust(self.width)


def _blocks(section: Section, room: int) -> list[list[Column]]:
    """Agents side by side as far as there is room, two blanks apart where all fit so, else one."""
    heads = heads_of(section.agents)
    widths = [
        max(
            [
                head.width,
                len(str(section.total)),
                *(row.entries[agent].width for row in section.rows if agent in row.entries),
            ]
        )
        for agent, head in zip(section.agents, heads, strict=True)
    ]
    gap = 2 if sum(widths) + 2 * len(widths) <= room else 1
    blocks: list[list[Column]] = [[]]
    left = room
    for agent, head, width in zip(section.agents, heads, widths, strict=True):
        if width + gap > left and blocks[-1]:
            blocks.append([])
            left = room
        blocks[-1].append(Column(agent, head, gap, width))
        left -= width + gap
    return blocks


def _block_lines(section: Section, block: Sequence[Column], names: int) -> Iterator[Text]:
    title = SUITE_TITLES.get(section.suite, section.suite.upper())
    yield _line(title, names, [column.cell(column.head.upper) for column in block], "bold")
    yield _line(_twins_label(section), names, [column.cell(column.head.lower) for column in block], "bold")
    for row in section.rows:
        line = Text(padded(row.name, names))
        for column in block:
            line.append_text(_entry_text(row.entries.get(column.agent), column))
        yield line
    passed = [column.cell(str(section.passed[column.agent])) for column in block]
    yield _line(_pass_label(section), names, passed, "bold")


def _line(name: str, names: int, cells: Sequence[str], style: str) -> Text:
    return Text(padded(name, names) + "".join(cells), style=style)


def _entry_text(entry: Entry | None, column: Column) -> Text:
    text = Text(" " * column.gap)
    if entry is None:
        text.append("-", "dim")
    else:
        text.append_text(mark_text(entry.marks))
        if entry.clean is not None:
            text.append("/")
            text.append_text(mark_text([entry.clean]))
    text.append(" " * (column.gap + column.width - len(text)))
    return text


def _pass_label(section: Section) -> str:
    return f"PASS of {section.total}"


def _twins_label(section: Section) -> str:
    """What the glyphs of most rows stand for, in short: `nev com late`."""
    twins = _usual_twins(section)
    return " ".join(SHORT_TWINS.get(twin, twin) for twin in twins) if len(twins) > 1 else ""


def _usual_twins(section: Section) -> tuple[str, ...]:
    kinds = [row.twins for row in section.rows]
    return max(kinds, key=kinds.count, default=())


def legend_lines(table: MatrixTable, width: int) -> Iterator[Text]:
    """What the glyphs mean, what stands left to right where rows differ, and names that heads cut."""
    shown = {mark for section in table.sections for row in section.rows for mark in _marks(row)}
    parts = [
        Text.assemble((GLYPHS[mark], MARK_STYLES[mark]), f" {meaning}")
        for mark, meaning in LEGEND
        if mark != "inconclusive" or mark in shown
    ]
    if None in shown:
        parts.append(Text.assemble(("·", "dim"), " not run"))
    yield from flowing(parts, width)
    if any(entry.clean for section in table.sections for row in section.rows for entry in row.entries.values()):
        yield Text(cut("after a /: the clean run, in which nothing goes wrong", width), "dim")
    for section in table.sections:
        usual = _usual_twins(section)
        odd = {row.scenario: row.twins for row in section.rows if row.twins != usual and len(row.twins) > 1}
        for scenario, twins in odd.items():
            yield from (Text(line, "dim") for line in prose(f"{scenario}: {', '.join(twins)}", width, "  ", ""))
        for agent, head in zip(section.agents, heads_of(section.agents), strict=True):
            if not head.whole:
                yield from (
                    Text(line, "dim") for line in prose(f"{head.upper} {head.lower} = {agent}", width, "  ", "")
                )


def _marks(row: Row) -> Iterator[Mark | None]:
    for entry in row.entries.values():
        yield from entry.marks
        if entry.clean is not None:
            yield entry.clean


def finding_lines(table: MatrixTable, run: int, width: int, options: Sequence[str] | None = ()) -> Iterator[Text]:
    """The table of findings: the worst first, one attempt to look at for each."""
    if table.findings:
        yield Text()
        yield from _finding_table("FINDINGS, worst first", table.findings, run, width, options)
    if table.notes:
        told = ", ".join(f"{item.code} {item.title} ({item.cells} cells)" for item in table.notes)
        yield from (Text(line, "dim") for line in prose(f"notes: {told}", width, "  ", ""))


def _finding_table(
    title: str, rows: Sequence[FindingRow], run: int, width: int, options: Sequence[str] | None
) -> Iterator[Text]:
    """Code, title, severity, cells, and where to look, unless attempts were not kept (`options` None). A narrow
    table leaves the place to `show`; the command goes under its line before it is lost."""
    words = None if options is None else [["faultlab", "show", f"{run}:{row.example.number}", *options] for row in rows]
    commands = [""] * len(rows) if words is None else [shlex.join(item) for item in words]
    places = [place_of(row) for row in rows]
    command_width, place_width = max(map(len, commands)) + 2, max(map(len, places)) + 2
    titles = min(max(len(title), *(len(f"{row.code} {row.title}") for row in rows)) + 2, TITLE_WIDTH)
    command_fits = titles + NUMBERS_WIDTH + command_width <= width
    place_fits = titles + NUMBERS_WIDTH + command_width + place_width <= width
    if not command_fits:
        titles = width - NUMBERS_WIDTH
    yield Text(
        f"{padded(title, titles)}{'':9}{'cells':>5}" + ("  look at one" if command_fits and words else ""), "bold"
    )
    for row, command, place in zip(rows, commands, places, strict=True):
        line = Text(padded(cut(f"{row.code} {row.title}", titles - 1), titles))
        line.append(padded(row.severity, 9), SEVERITY_STYLES[row.severity])
        line.append(f"{row.cells:>5}")
        if command_fits:
            line.append("  " + command.ljust(command_width - 2), "cyan")
        if place_fits:
            line.append("  " + place, "dim")
        yield line
        if not command_fits:
            yield Text(f"    {command}", "cyan")


def place_of(row: FindingRow) -> str:
    """`blind_retry, lost-receipt/committed`."""
    shown = row.example
    contract = "" if shown.contract == "none" else f" + {shown.contract}"
    return f"{shown.agent}, {shown.scenario}{contract}/{shown.twin}"
