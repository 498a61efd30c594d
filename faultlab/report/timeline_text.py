"""A timeline as lines of text: caller on the left, ledger on the right, the unknown period down the caller's side."""

import textwrap
from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

from rich.text import Text

from faultlab.core.clock import NS
from faultlab.report.screen import prose
from faultlab.report.timeline import Timeline
from faultlab.report.timeline_line import Line, Way
from faultlab.report.words import TIED

WIDE = 100
MIDDLE = 76
"""Columns from which the layouts fit; below, ledger and server share a column."""

UNKNOWN = "░"
AGAIN = "◀ again"
COLUMNS = ("CALLER", "NETWORK", "SERVER", "LEDGER")


class Layout(NamedTuple):
    """Widths of the columns, each with the blank after it; `ledger` 0: it is written in the server's column."""

    time: int
    caller: int
    network: int
    server: int
    ledger: int

    @property
    def right(self) -> int:
        """What a text may use that begins in the server's column."""
        return self.server + self.ledger


def layout_for(width: int) -> Layout:
    """The columns for a terminal of so many columns."""
    if width >= WIDE:
        network, ledger, share = 14, 24, 60
    elif width >= MIDDLE:
        network, ledger, share = 8, 15, 60
    else:
        network, ledger, share = 4, 0, 54
    time = 8
    rest = width - time - network - ledger
    caller = rest * share // 100
    return Layout(time, caller, network, rest - caller, ledger)


def timeline_lines(timeline: Timeline, width: int) -> Iterator[Text]:
    """Head, lines, and what the sign of the unknown period means."""
    layout = layout_for(width)
    yield _head(layout)
    for line in timeline.lines:
        yield from _drawn(line, layout)
    if timeline.unknown:
        what = f"{UNKNOWN} = the caller cannot know the outcome of {', '.join(timeline.unknown)}"
        yield from (Text(item, "dim") for item in prose(what, width, "    ", "  "))
    for remark in timeline.remarks:
        yield from (Text(item, "dim") for item in prose(remark, width, "    ", "  "))


def _head(layout: Layout) -> Text:
    names = list(COLUMNS)
    if layout.ledger == 0:
        names[1:] = ["", "SERVER, LEDGER", ""]
    widths = layout[1:]
    cells = "".join(name[: max(width - 1, 0)].ljust(width) for name, width in zip(names, widths, strict=True))
    return Text(f"{'t (s)':>{layout.time - 2}}  {cells}".rstrip(), "bold")


def _drawn(line: Line, layout: Layout) -> Iterator[Text]:
    """One line of the timeline: as many lines of text as its longest cell needs."""
    caller, right, ledger = _cells(line, layout)
    sign = f"{UNKNOWN} " if line.unknown else "  "
    style = "bold" if line.claim else "bold magenta" if line.turn else ""
    right_style = "magenta" if line.fault else ""
    for number, parts in enumerate(zip_longest(caller, right, ledger, fillvalue="")):
        time = f"{moment(line.t_ns):>{layout.time - 2}}  " if number == 0 else " " * layout.time
        text = Text(time, "dim")
        text.append(sign, "yellow")
        alone = not line.way and not right and not ledger
        text.append(parts[0].ljust(0 if alone else layout.caller - 2), style)
        if not alone:
            text.append(arrow(line.way if number == 0 else "", layout.network), _way_style(line.way))
            text.append(parts[1].ljust(layout.server if ledger else 0), right_style)
            text.append(parts[2], "bold red" if line.again else "bold green")
        yield text


def moment(t_ns: int) -> str:
    """Seconds in six characters: `5.06`, `1205.1`, `-90000`; days where those are too few."""
    seconds = t_ns / NS
    texts = (f"{seconds:.2f}", f"{seconds:.1f}", f"{seconds:.0f}")
    return next((text for text in texts if len(text) <= 6), f"{seconds / 86400:.0f} d")


def _cells(line: Line, layout: Layout) -> tuple[list[str], list[str], list[str]]:
    """Each column's text, wrapped; a text with nothing beside it uses the room of its neighbours."""
    ledger = " ".join(filter(None, [line.ledger, AGAIN if line.again else ""]))
    right = line.server
    if layout.ledger == 0 and ledger:
        right, ledger = ": ".join(filter(None, [right, ledger])), ""
    room = layout.server - 1 if ledger else layout.right
    alone = not line.way and not right and not ledger
    indent = "     " if line.caller.startswith("   ") else "   "
    caller_room = layout.caller - 3 if not alone else layout.caller - 2 + layout.network + layout.right
    return _wrapped(line.caller, caller_room, indent), _wrapped(right, room), _wrapped(ledger, layout.ledger)


def _wrapped(text: str, width: int, indent: str = "  ") -> list[str]:
    if not text or width <= 0:
        return []
    lines = textwrap.wrap(text, width, subsequent_indent=indent, break_on_hyphens=False)
    return [line.replace(TIED, " ") for line in lines]


def arrow(way: Way, width: int) -> str:
    """A solid arrow for what arrived, a broken one for what was lost, in exactly `width` columns."""
    room = width - 1
    dashes = "─ " * room
    drawn = {
        "": "",
        "sent": "─" * (room - 1) + "▶",
        "answer": "◀" + "─" * (room - 1),
        "lost": dashes[: room - 1].rstrip() + " ╳" if room > 3 else "─╳",
        "no_answer": "╳ " + dashes[: room - 2] if room > 3 else "╳─",
        "late": dashes[: room - 1] + "▶",
    }[way]
    return drawn[:room].ljust(width)


def _way_style(way: Way) -> str:
    return "bold magenta" if way in ("lost", "no_answer") else "cyan"
