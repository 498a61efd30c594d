"""One line of a timeline, and the lines of what the caller said, noted and lived through."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from faultlab.core.clock import ns
from faultlab.core.records import Ask, Claim, Crashed, Event, Forgot, Note
from faultlab.report.words import HANDLE, body_words, differing, middle_cut, seconds

Way = Literal["", "sent", "lost", "answer", "no_answer", "late"]
"""What the network does: a request arrives or is lost, an answer arrives or is lost, a request arrives late."""


OPENED = (("store", "journal", "whole", False), ("store", "journal", "lost", False))
"""How the reference agents open their journal: the line of the crash has told it."""


class Line(NamedTuple):
    """One line. Empty text: nothing happens in that column."""

    t_ns: int
    caller: str = ""
    way: Way = ""
    server: str = ""
    ledger: str = ""
    unknown: bool = False
    """The outcome of an operation is unknown to the caller here."""
    again: bool = False
    """An effect more than was wanted."""
    fault: bool = False
    claim: bool = False
    turn: bool = False
    """The caller's process died or was started again."""


SENT, JOURNAL = "sent/", "journal/"
"""Beginnings of the names under which agents keep what they sent: by themselves, or through a tool client."""

ENTRY = {"operation", "calls", "receipts"}
"""What the latter holds of one operation."""


def is_sent(note: Note) -> bool:
    """What the reference agents write down in case they crash: of interest only where they did."""
    return note.kind == "store" and note.name.startswith((SENT, JOURNAL))


def told(event: Event) -> Iterator[Line]:
    """Of an event that concerns the caller alone."""
    if isinstance(event, Ask):
        yield Line(event.t, f'asks the user: "{event.question}"')
        taken = "" if event.retracts is None else f", takes back {event.retracts}"
        said = "user: nothing left to say" if event.answer is None else f'user: "{event.answer}"'
        yield Line(event.t, said + taken)
    elif isinstance(event, Note) and event[1:] not in OPENED:
        yield Line(event.t, f"{event.kind}: {_note(event)}")
    elif isinstance(event, Forgot):
        yield Line(event.t, f"FORGETS {', '.join(event.names)}: gone from its notes", turn=True)
    elif isinstance(event, Crashed):
        yield Line(event.t, f"CRASH in #{event.call}: its process dies", turn=True)
        store = "finds its store" if event.journal == "kept" else "its store is lost"
        yield Line(event.t, f"STARTS again: {store}, remembers nothing", turn=True)
    elif isinstance(event, Claim):
        yield from _claim(event)


def _note(note: Note) -> str:
    if note.gone:
        return f"{note.name} deleted"
    record = note.value
    if note.name.startswith(JOURNAL) and isinstance(record, Mapping) and {*record} == ENTRY:
        sent = [call for call in record["calls"] if call["kind"] == "write"]
        under = _under(sent[-1]) if sent else ""
        return f"{note.name}{under}, {len(sent)} sent, {record['operation']['state'].replace('_', ' ')}"
    if note.name.startswith(SENT) and isinstance(record, Mapping) and "first_sent_s" in record:
        return f"{note.name}{_under(record)}, first sent at {seconds(ns(record['first_sent_s']))}"
    return f"{note.name} = {body_words(note.value)}"


def _under(record: Mapping[str, Any]) -> str:
    handle = record.get("key") or record.get("reference")
    return "" if handle is None else f" under {middle_cut(handle, HANDLE)}"


def _claim(claim: Claim) -> Iterator[Line]:
    rests = ", ".join(f"#{number}" for number in claim.evidence)
    yield Line(
        claim.t,
        f"CLAIM {claim.status}" + (f", rests on {rests}" if rests else ", rests on nothing"),
        claim=True,
    )
    for operation, status in differing(claim):
        yield Line(claim.t, f"   {operation}: {status}")
    for record in claim.hand_over:
        asked = ", asked in " + " ".join(f"#{number}" for number in record.reads) if record.reads else ", never asked"
        handle = "no handle" if record.handle is None else f"handle {record.handle}"
        yield Line(
            claim.t,
            f"   hands over {record.operation}: {handle}, first sent at {seconds(record.first_sent_ns)},"
            f" last receipt {record.last_receipt}{asked}",
        )
