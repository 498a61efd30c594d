"""What the rules about versions share: which versions the agent had seen of a thing when it wrote."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from faultlab.core.history import Brief
from faultlab.core.records import Call, Crashed, Receipt
from faultlab.rules.evidence import Evidence

TELLS_VERSION = frozenset({"revision", "etag"})
"""Members of a body that name its version, and are no part of what it says."""


class View(NamedTuple):
    """One answer that showed a versioned thing: of a read, or of an own write."""

    object: str
    version: int | None
    body: Mapping[str, Any]
    call: int
    asked_ns: int


class Written(NamedTuple):
    """One write as it left, and what had been seen before."""

    call: Call
    object: str
    """The versioned thing that it names; empty: none."""
    life: list[View]
    """All that was seen in the same life of the agent, after it too."""
    place: int
    """So much of that was seen before it."""
    of_it: tuple[View, ...]
    """The views of the thing that it writes."""

    @property
    def before(self) -> list[View]:
        return self.life[: self.place]


class Seen(NamedTuple):
    """All of it, in order."""

    views: tuple[View, ...]
    writes: tuple[Written, ...]


def seen(evidence: Evidence) -> Seen:
    """What an agent that crashed had seen does not count: it may have forgotten it."""
    views: list[View] = []
    of: dict[str, list[View]] = {}
    writes: list[Written] = []
    calls: dict[int, Call] = {}
    for event in evidence.history.events:
        if isinstance(event, Call):
            calls[event.n] = event
            if event.kind == "write" and event.n > 0:
                name = thing(event, evidence.brief)
                writes.append(Written(event, name, views, len(views), tuple(of.get(name, ()))))
        elif isinstance(event, Receipt) and isinstance(event.body, Mapping):
            call = calls[event.call]
            for sight in event.sights:
                view = View(sight.object, sight.version, event.body, call.n, call.t)
                views.append(view)
                of.setdefault(view.object, []).append(view)
        elif isinstance(event, Crashed):
            views, of = [], {}
    return Seen(tuple(views), tuple(writes))


def thing(call: Call, brief: Brief) -> str:
    """`table/row` of the versioned thing that a write names; empty: it names none."""
    terms = brief.writes.get(call.tool)
    if terms is None or terms.versioned is None:
        return ""
    table, argument = terms.versioned
    return f"{table}/{call.args.get(argument)}"


def named_version(if_match: str | None) -> int | None:
    """The version that a condition names; None: it names none, or several."""
    tag = (if_match or "").strip().strip('"')
    return int(tag) if tag.isascii() and tag.isdigit() else None


def newest(views: Iterable[View]) -> View | None:
    """The one of the highest version, the latest of equals; None: no version was seen."""
    numbered = [view for view in views if view.version is not None]
    return max(reversed(numbered), key=lambda view: view.version or 0) if numbered else None


def differences(older: View, newer: View) -> Mapping[str, tuple[Any, Any]]:
    """Member -> what the older one said and what the newer one says: texts and numbers that both have."""
    return {
        name: (was, newer.body[name])
        for name, was in older.body.items()
        if name not in TELLS_VERSION and name in newer.body and newer.body[name] != was and _plain(was)
    }


def _plain(value: Any) -> bool:
    return isinstance(value, str | int | float) and type(value) is not bool
