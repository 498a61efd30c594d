"""Where text goes: how wide it may be, whether in colour, and in which characters."""

import shutil
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import IO

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from faultlab.core.verdict import ASCII_GLYPHS, GLYPHS, Mark, Severity

MARK_STYLES: dict[Mark, str] = {"pass": "green", "harm": "bold red", "wrong": "yellow", "inconclusive": "dim"}
SEVERITY_STYLES: dict[Severity, str] = {"veto": "bold red", "fail": "red", "caution": "yellow", "note": "dim"}

NARROWEST = 50
"""Columns below which lines are cut by the terminal, not by us."""

ASCII = str.maketrans(
    {
        **{GLYPHS[mark]: ASCII_GLYPHS[mark] for mark in GLYPHS},
        "░": ":", "─": "-", "▶": ">", "◀": "<", "╳": "X", "·": "-", "…": "~", "→": ">", "│": "|",
    }
)  # fmt: skip
"""One character for one, so that columns stay where they are."""


CONTROLS = {code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"} | {
    0x7F: "␡", **dict.fromkeys(range(0x80, 0xA0), "\N{REPLACEMENT CHARACTER}")
}  # fmt: skip
"""What an agent says must not steer the terminal: each control character is shown as its picture, ESC as ␛."""


class Screen:
    """A terminal, a pipe or a file."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.width = max(console.width, NARROWEST)
        self.ascii = console.is_dumb_terminal or console.options.ascii_only

    @staticmethod
    def of(file: IO[str] | None = None, *, width: int | None = None) -> "Screen":
        """Standard output, or the file given. NO_COLOR, COLUMNS and TERM are obeyed."""
        console = Console(file=file, width=width, highlight=False, markup=False, emoji=False)
        if console.width < 1:  # COLUMNS=0 says nothing, and rich would print nothing
            console.width = shutil.get_terminal_size().columns
        return Screen(console)

    def show(self, lines: Iterable[Text | str]) -> None:
        """Print the lines as they are; each already fits."""
        for line in lines:
            text = Text(line) if isinstance(line, str) else line
            text.rstrip()
            text = _harmless(text)
            if self.ascii:
                text = self._in_ascii(text)
            self.console.print(text, soft_wrap=True)

    def _in_ascii(self, text: Text) -> Text:
        plain = text.plain.translate(ASCII)
        copy = text.copy()
        copy.plain = "".join(char if char.isascii() else "?" for char in plain)
        return copy


def _harmless(text: Text) -> Text:
    """Most lines hold no control character, and are not copied."""
    plain = text.plain.translate(CONTROLS)
    if plain == text.plain:
        return text
    copy = text.copy()
    copy.plain = plain
    return copy


def prose(text: str, width: int, indent: str = "", first: str | None = None) -> list[str]:
    """A paragraph in lines of at most `width` columns; `first` begins the first line, `indent` the others."""
    return textwrap.wrap(
        text, max(width, 20), initial_indent=indent if first is None else first, subsequent_indent=indent,
        break_on_hyphens=False,
    )  # fmt: skip


def flowing(parts: Sequence[Text], width: int, gap: str = "   ", indent: str = "") -> Iterator[Text]:
    """Parts one after the other, never broken inside; a new line before one that does not fit."""
    line = Text()
    for part in parts:
        if line and len(line) + len(gap) + len(part) > width:
            yield line
            line = Text(indent) + part
        else:
            line = Text.assemble(line, gap, part) if line else part.copy()
    if line:
        yield line


def cut(text: str, width: int) -> str:
    """The text, or its beginning and "…" where it is wider."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(width - 1, 0)).rstrip() + "…"


def padded(text: str, width: int) -> str:
    """Cut or filled with blanks to exactly `width` columns."""
    return set_cell_size(cut(text, width), width)


def table(rows: Sequence[Sequence[str]], gap: int = 2) -> list[int]:
    """The width that each column needs."""
    return [max(cell_len(cell) for cell in column) + gap for column in zip(*rows, strict=True)]


def mark_text(marks: Sequence[Mark | None]) -> Text:
    """The glyphs of some marks, each in its colour; a dot for what was not run."""
    return Text.assemble(*[("·", "dim") if mark is None else (GLYPHS[mark], MARK_STYLES[mark]) for mark in marks])
