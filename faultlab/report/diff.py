"""Where two attempts part: the first step that differs, ids and times aside."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rich.text import Text

from faultlab.core.canonical import canonical
from faultlab.core.clock import NS
from faultlab.core.history import History
from faultlab.core.records import Ask, Call, Claim, Crashed, Event, Forgot, Note, Receipt
from faultlab.report.screen import prose
from faultlab.report.words import arguments, body_words, handle_words, said, truth

BEFORE = 3
"""Equal steps shown before the first that differs."""

AFTER = 6
"""Steps of each side shown from there on."""


class Step(NamedTuple):
    """One thing that the caller did or got."""

    t_ns: int
    text: str
    same: str
    """Equal for steps that are the same apart from ids and times."""


class Difference(NamedTuple):
    """Two attempts, up to where they part and from there on."""

    common: tuple[Step, ...]
    left: tuple[Step, ...]
    right: tuple[Step, ...]

    @property
    def equal(self) -> bool:
        """The caller did and got the same to the end."""
        return not self.left and not self.right


def difference(left: History, right: History) -> Difference:
    """Step by step as the callers saw it; a fault is not a step, for no caller sees one."""
    one, other = steps_of(left), steps_of(right)
    same = 0
    while same < min(len(one), len(other)) and one[same].same == other[same].same:
        same += 1
    return Difference(one[:same], one[same:], other[same:])


def steps_of(history: History) -> tuple[Step, ...]:
    """Calls, receipts, questions and the claim, in order."""
    names: dict[str, str] = {}
    tools = {event.n: event.tool for event in history.events if type(event) is Call}
    found = (_step(event, history, tools, names) for event in history.events)
    return tuple(step for step in found if step is not None)


def _step(event: Event, history: History, tools: Mapping[int, str], names: dict[str, str]) -> Step | None:
    if isinstance(event, Call):
        handles = handle_words(event, history.brief.contract)
        text = " ".join(filter(None, [f"#{event.n} {event.tool}", arguments(event.args), handles]))
        own = [_alias(handle, names) for handle in (event.key, event.reference)]
        return Step(event.t, text, canonical([event.tool, _aliased(event.args, names), own, event.if_match is None]))
    if isinstance(event, Receipt):
        got = event.error or f"{event.status} {body_words(event.body)}"
        same = canonical([event.call, event.status, event.error, event.outcome, _aliased(event.body, names)])
        return Step(event.t, f"#{event.call} {tools[event.call]} got {got}", same)
    if isinstance(event, Ask):
        return Step(event.t, f'asks "{event.question}": {event.answer}', canonical(event[1:]))
    if isinstance(event, Claim):
        rests = " ".join(f"#{number}" for number in event.evidence)
        text = (
            f"CLAIM {event.status}"
            + (f', "{event.text}"' if event.text else "")
            + (f", rests on {rests}" if rests else "")
        )
        return Step(event.t, text, canonical([event.status, event.evidence, event.operations]))
    if isinstance(event, Crashed):
        return Step(event.t, f"crash in #{event.call}, store {event.journal}", canonical(event[1:]))
    if isinstance(event, Forgot):
        return Step(event.t, f"forgets {', '.join(event.names)}", canonical(event[1:]))
    assert isinstance(event, Note) or type(event).__name__ == "Fired"
    return None


def _alias(handle: str | None, names: dict[str, str]) -> str | None:
    """Keys and references by their place: two agents never choose the same."""
    return None if handle is None else names.setdefault(handle, f"handle {len(names) + 1}")


def _aliased(value: Any, names: dict[str, str]) -> Any:
    """A body or arguments with ids (`re_1a2b3c4d5e6f`) and handles replaced by their place."""
    if isinstance(value, Mapping):
        return {name: _aliased(item, names) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_aliased(item, names) for item in value]
    if isinstance(value, str) and (value in names or _is_id(value)):
        return _alias(value, names)
    return value


def _is_id(text: str) -> bool:
    """As `core.seed.token` makes them, with a prefix."""
    prefix, underscore, rest = text.rpartition("_")
    return bool(prefix and underscore) and len(rest) == 12 and set(rest) <= set("0123456789abcdef")


class Side(NamedTuple):
    """One of the two attempts, by name."""

    title: str
    history: History
    verdict: str


def diff_lines(left: Side, right: Side, width: int) -> Iterator[Text]:
    """What is equal, then each side's own way from there, then how each ended."""
    found = difference(left.history, right.history)
    yield from _lines(f"A  {left.title}", width, "bold")
    yield from _lines(f"B  {right.title}", width, "bold")
    yield Text()
    hidden = len(found.common) - BEFORE
    if hidden > 0:
        yield Text(f"   ... {hidden} equal step{'' if hidden == 1 else 's'}", "dim")
    for step in found.common[-BEFORE:]:
        yield from _step_lines(" ", step, width, "dim")
    if found.equal:
        alike = list(truth(left.history)) == list(truth(right.history))
        more = "The truth is the same too:" if alike else "What differs is the truth:"
        yield from _lines(f"The caller did and got the same to the end. {more}", width, "bold")
    else:
        yield Text(f"Step {len(found.common) + 1} differs:", "bold")
        for sign, steps, style in (("A", found.left, "red"), ("B", found.right, "green")):
            yield from _side(sign, steps, width, style)
    yield Text()
    for sign, side in (("A", left), ("B", right)):
        yield from _lines(f"{sign}  {side.verdict}  said: {said(side.history)}", width, "bold")
        for line in truth(side.history):
            yield from _lines(f"   true: {line}", width, "")


def _side(sign: str, steps: Sequence[Step], width: int, style: str) -> Iterator[Text]:
    if not steps:
        yield Text(f"{sign}  (nothing more)", style)
    for step in steps[:AFTER]:
        yield from _step_lines(sign, step, width, style)
    if len(steps) > AFTER:
        yield Text(f"{sign}  ... {len(steps) - AFTER} more steps", "dim")


def _step_lines(sign: str, step: Step, width: int, style: str) -> Iterator[Text]:
    yield from _lines(f"{sign}  {step.t_ns / NS:>8.2f}  {step.text}", width, style, " " * 13)


def _lines(text: str, width: int, style: str, indent: str = "      ") -> Iterator[Text]:
    """A line, wrapped; blanks inside it are kept."""
    lead = text[: len(text) - len(text.lstrip())]
    yield from (Text(line, style) for line in prose(text.lstrip(), width, indent, lead))
