"""What came out when a stored attempt was judged again and made again."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from faultlab.core.history import History
from faultlab.core.result import Result
from faultlab.core.verdict import Verdict
from faultlab.report.attempt import cell_words
from faultlab.report.diff import Side, diff_lines
from faultlab.report.screen import prose

Judged = tuple[History, Verdict]


def replay_lines(
    address: str, result: Result, codes_then: Sequence[str], stored: Judged, again: Judged, width: int, *,
    same_bytes: bool,
) -> Iterator[Text]:  # fmt: skip
    """Three lines; where the new attempt went another way, the first step that differs."""
    yield from _line(f"attempt {address} · {result.agent} · {cell_words(result)}", width, "bold")
    then, now, made = " ".join(codes_then) or "no finding", _codes(stored[1]), _codes(again[1])
    yield from _line(f"judged then    {then}", width)
    yield from _line(f"judged again   {now}{_same(now == then)}", width)
    told = "the same bytes" if same_bytes else "OTHER BYTES"
    yield from _line(f"made again     {made}{_same(made == then)}, {told}", width)
    if not same_bytes:
        yield Text()
        left = Side(f"{address}, as stored", stored[0], stored[1].verdict.upper())
        right = Side("made again", again[0], again[1].verdict.upper())
        yield from diff_lines(left, right, width)
        yield Text()
        yield from _line(
            "An agent that reads a clock of its own, draws without a seed, or runs on the real clock does not repeat.",
            width,
        )


def _codes(verdict: Verdict) -> str:
    return " ".join(verdict.codes) or "no finding"


def _same(same: bool) -> str:
    return ", the same" if same else ", ANOTHER VERDICT"


def _line(text: str, width: int, style: str = "") -> Iterator[Text]:
    yield from (Text(line, style) for line in prose(text, width, " " * 15, ""))
