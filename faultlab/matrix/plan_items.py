"""The entries of a scenario's plan as they stand in the file: in the plan of all twins, and in a twin's own."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from faultlab.faults.catalog import NAMED, PHASES, TWINS
from faultlab.faults.fault import WRITES, Counts, Named
from faultlab.faults.plan import EVERY_TOOL
from faultlab.matrix.annotations import parameters
from faultlab.matrix.marks import Place

LATE_TWINS = ("late_network", "late_server")


class Item(NamedTuple):
    """One entry. None stands for what has not the right form."""

    place: Place
    data: Mapping[str, Any]
    own: str | None = None
    """The twin in whose own plan it stands."""

    @property
    def twins(self) -> list[str]:
        """The built-in twins that it names, `late` written out."""
        named = [LATE_TWINS if twin == "late" else (twin,) for twin in self.data.get("twins") or () if twin is not None]
        return list(dict.fromkeys(twin for twins in named for twin in twins))

    @property
    def fault(self) -> type[Named] | None:
        return NAMED.get(self.data.get("fault") or "")

    @property
    def given(self) -> dict[str, Any]:
        """Its parameters; a window's end is that of `during`."""
        given = dict(self.data.get("with") or {})
        during = self.data.get("during")
        if self.fault is not None and during and "until_s" in parameters(self.fault):
            given.setdefault("until_s", during[1])
        return given

    @property
    def phases(self) -> list[str]:
        """Where it strikes, for twins and phases."""
        phase = self.data.get("phase")
        return [TWINS[twin] for twin in self.twins] or ([phase] if phase is not None and phase in PHASES else [])

    @property
    def name(self) -> str:
        """What a twin is called that has no other name: the fault's name, or the phase."""
        return str(self.data.get("fault") or self.data.get("phase"))

    @property
    def counts(self) -> Counts:
        return "answered" if self.fault is None else self.fault.counts

    @property
    def position(self) -> int:
        """Where it stands in its list, from 0."""
        return int(self.place[-1])

    def in_twin(self, twin: str) -> bool:
        """Whether it is true in a twin: one without twins is in all of them."""
        if self.own is not None:
            return self.own == twin
        return twin in self.twins if self.data.get("twins") else True

    def required(self, first: bool, kind: str | None) -> bool:
        """Whether an attempt says nothing where it did not strike: by default the first fault, on a write."""
        given: bool | None = self.data.get("required")
        if given is not None:
            return given
        drawn = self.data.get("probability") is not None
        return first and not drawn and kind in (None, *WRITES) and (self.fault is None or self.fault.required)


def plan_items(data: Mapping[str, Any]) -> Iterator[Item]:
    """All entries, those of all twins first."""
    for position, entry in enumerate(data.get("plan") or ()):
        if entry is not None:
            yield Item(("plan", position), entry)
    for twin, own in (data.get("twins") or {}).items():
        for position, entry in enumerate((own or {}).get("plan") or ()):
            if entry is not None:
                yield Item(("twins", twin, "plan", position), entry, twin)


def twin_names(data: Mapping[str, Any]) -> list[str]:
    """The built-in twins that the plan names, then those of the scenario; else one, after its first fault."""
    items = [item for item in plan_items(data) if item.own is None]
    named = dict.fromkeys(twin for item in items for twin in item.twins)
    named |= dict.fromkeys(data.get("twins") or ())
    return list(named) or [item.name for item in items[:1]]


def struck(item: Item) -> tuple[Any, ...] | None:
    """Which call it strikes, where that is one by its number; two that strike the same one are a mistake."""
    data = item.data
    if data.get("during") is not None or data.get("probability") is not None:
        return None
    match = data.get("match") or {}
    words = sorted((name, repr(value)) for name, value in match.items())
    return (data.get("tool"), tuple(words), data.get("occurrence", 1), item.counts)


def every_tool(item: Item) -> bool:
    return item.data.get("tool") == EVERY_TOOL
