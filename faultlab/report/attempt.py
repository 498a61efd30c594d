"""One attempt for a reader: what was said and is true, the timeline, the findings, and where to look next."""

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from rich.text import Text

from faultlab.core.history import History
from faultlab.core.result import Result
from faultlab.core.verdict import GLYPHS, AttemptVerdict, Finding, Verdict
from faultlab.report.matrix import title_of
from faultlab.report.screen import MARK_STYLES, SEVERITY_STYLES, flowing, padded, prose
from faultlab.report.timeline import timeline_of
from faultlab.report.timeline_text import timeline_lines
from faultlab.report.words import said, truth

VERDICT_WORDS: Mapping[AttemptVerdict, str] = {
    "pass": "PASS", "fail": "FAIL", "timeout": "TIMEOUT", "infra_error": "INCONCLUSIVE",
}  # fmt: skip


class AttemptView(NamedTuple):
    """An attempt and its neighbours in the same run."""

    run: int
    seed: int
    result: Result
    history: History
    verdict: Verdict
    attempts: int
    """How many attempts its cell has."""
    siblings: tuple[Result, ...] = ()
    """The same agent and index in the other twins of the group."""
    better: Result | None = None
    """Another agent's attempt at the same cell that passed."""
    store_options: tuple[str, ...] = ()
    """Options by which other commands find the attempt; empty for the usual store."""

    @property
    def address(self) -> str:
        return f"{self.run}:{self.result.number}"


def attempt_lines(view: AttemptView, width: int) -> Iterator[Text]:
    """The whole page."""
    yield from _title(view, width)
    yield Text()
    timeline = timeline_of(view.history)
    yield from timeline_lines(timeline, width)
    yield from _findings(view.verdict, timeline.effects, width)
    yield from _next(view, width)


def cell_words(result: Result) -> str:
    """`lost-receipt + status / committed`."""
    contract = "" if result.contract == "none" else f" + {result.contract}"
    return f"{result.scenario}{contract} / {result.twin}"


def _title(view: AttemptView, width: int) -> Iterator[Text]:
    result = view.result
    parts = [
        f"attempt {view.address}",
        result.agent,
        cell_words(result),
        f"{result.attempt} of {view.attempts}",
        f"seed {view.seed}",
    ]
    yield from flowing([Text(part, "bold") for part in parts], width, " · ", "  ")
    verdict = view.verdict
    word = VERDICT_WORDS[verdict.verdict]
    if verdict.excluded_reason:
        yield from (Text(line, "dim") for line in prose(f"not counted: {verdict.excluded_reason}", width, "  ", ""))
    indent = " " * (len(word) + 2)
    spoken = prose(f"said: {said(view.history)}", width, indent + "      ", indent)
    first = Text(word, MARK_STYLES[verdict.mark])
    first.append(spoken[0][len(word) :], "")
    yield first
    yield from map(Text, spoken[1:])
    for number, line in enumerate(truth(view.history)):
        lead = "true: " if number == 0 else "      "
        yield from map(Text, prose(lead + line, width, indent + "      ", indent))


def _findings(verdict: Verdict, effects: Mapping[str, str], width: int) -> Iterator[Text]:
    if not verdict.findings:
        return
    yield Text()
    titles = max(len(title_of(item.code)) for item in verdict.findings) + 2
    for item in verdict.findings:
        yield from _finding(item, effects, titles, width)


def _finding(item: Finding, effects: Mapping[str, str], titles: int, width: int) -> Iterator[Text]:
    """Code, title, severity; the evidence beside them where there is room, else below."""
    text = item.text
    for effect_id, name in effects.items():
        text = re.sub(rf"\b{re.escape(effect_id)}\b", name, text)
    if item.cause != "agent":
        text = f"{text} (caused by the {item.cause}: not charged)"
    line = Text(f"  {item.code} {padded(title_of(item.code), titles)}", "bold")
    line.append(padded(item.severity, 9), SEVERITY_STYLES[item.severity])
    beside = width - len(line)
    if beside >= len(text) or beside >= 40:
        parts = prose(text, width, " " * len(line), " " * len(line))
        line.append(parts[0][len(line) :])
        yield line
        yield from map(Text, parts[1:])
    else:
        yield line
        yield from map(Text, prose(text, width, "      ", "      "))


def _next(view: AttemptView, width: int) -> Iterator[Text]:
    """What else there is to see, as commands."""
    yield Text()
    if view.siblings:
        parts = [Text(f"{item.twin} {GLYPHS[item.mark]} {view.run}:{item.number}") for item in view.siblings]
        parts[0] = Text("The same agent in the other twins: ") + parts[0]
        yield from flowing(parts, width, ", ", "  ")
    if view.better is not None:
        line = f"{view.better.agent} passed here:"
        yield from _command(line, _faultlab(view, "show", "--diff", view.address, view.better.agent), width)
    codes = [item.code for item in view.verdict.findings if item.severity != "note"]
    if codes:
        yield from _command("What is wrong with it:", f"faultlab explain {codes[0]}", width)
    yield from _command("Judge and make it again:", _faultlab(view, "replay", view.address), width)


def _faultlab(view: AttemptView, *words: str) -> str:
    return shlex.join(["faultlab", *words, *view.store_options])


def _command(what: str, command: str, width: int) -> Iterator[Text]:
    """A remark and the command that belongs to it, on a line of its own where they do not fit on one."""
    if len(what) + 1 + len(command) <= width:
        yield Text.assemble(what, " ", (command, "cyan"))
    else:
        yield Text(what)
        yield Text(f"  {command}", "cyan")
