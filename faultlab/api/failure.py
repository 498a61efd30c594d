"""The text of a failed `assert_clean`: what the caller saw, what was true, which rule, the timeline, how to replay."""

from collections.abc import Iterator

from faultlab.core.history import History
from faultlab.core.records import Call, Receipt
from faultlab.core.verdict import Verdict
from faultlab.report.screen import prose
from faultlab.report.timeline import timeline_of
from faultlab.report.timeline_text import timeline_lines
from faultlab.report.words import TIED, said, seconds, truth
from faultlab.rules.catalog import CATALOG

WIDTH = 100
HEAD, TAIL = 50, 20
"""Lines of a long timeline that are shown."""


def failure_text(history: History, verdict: Verdict, replay: str, remarks: tuple[str, ...] = ()) -> str:
    """The whole of it, in lines of at most WIDTH columns where words allow."""
    return "\n".join(line.rstrip().replace(TIED, " ") for line in _lines(history, verdict, replay, remarks))


def _lines(history: History, verdict: Verdict, replay: str, remarks: tuple[str, ...]) -> Iterator[str]:
    failing = [item for item in verdict.findings if item.severity != "note" and item.cause == "agent"]
    inconclusive = verdict.verdict == "infra_error"
    if failing:
        yield "not clean: " + ", ".join(f"{item.code} {CATALOG[item.code].title}" for item in failing)
    elif inconclusive:
        yield f"inconclusive, the test says nothing: {verdict.excluded_reason.replace('_', ' ')}"
    else:
        yield f"not clean: {history.end}"
    yield ""
    yield from _labelled("the caller saw", _seen(history))
    yield from _labelled("it said", [said(history)])
    yield from _labelled("true is", list(truth(history)) or ["nothing took effect"])
    timeline = timeline_of(history)
    for item in verdict.findings:
        if item in failing or inconclusive or CATALOG[item.code].group == "validity":
            text = item.text
            for effect_id, name in timeline.effects.items():
                text = text.replace(effect_id, name)
            yield from _labelled(f"{item.code}", [text])
    for remark in remarks:
        yield from _labelled("note", [remark])
    yield ""
    yield from shortened([drawn.plain for drawn in timeline_lines(timeline, WIDTH)])
    yield ""
    if failing:
        yield f"What is safe instead: faultlab explain {failing[0].code}"
    yield f"Again: {replay}"


def _labelled(label: str, texts: list[str]) -> Iterator[str]:
    for number, text in enumerate(texts):
        lead = f"{label}:" if number == 0 else ""
        yield from prose(f"{lead:16}{text}" if lead else " " * 16 + text, WIDTH, " " * 16, "")


def _seen(history: History) -> list[str]:
    """Each write as its caller knows it."""
    receipts = {event.call: event for event in history.events if type(event) is Receipt}
    seen = []
    for call in history.events:
        if type(call) is Call and call.kind == "write":
            receipt = receipts.get(call.n)
            if receipt is None:
                got = "no answer"
            elif receipt.error is not None:
                got = f"{receipt.error} after {seconds(receipt.t - call.t)}"
            else:
                got = str(receipt.status)
            seen.append(f"#{call.n} {call.tool}: {got}")
    return seen or ["no call that changes anything reached the lab"]


def shortened(lines: list[str]) -> Iterator[str]:
    """Beginning and end: what repeats itself a thousand times is seen in the first fifty lines."""
    left_out = len(lines) - HEAD - TAIL
    if left_out <= 1:
        yield from lines
        return
    yield from lines[:HEAD]
    yield f"  ... {left_out} lines are left out here; lab.timeline() has them all"
    yield from lines[-TAIL:]
