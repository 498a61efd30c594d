"""The faults of one cell, addressed to calls: tool, arguments and a trigger; never a global queue."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from faultlab.core.records import Call
from faultlab.faults.catalog import NAMED, PHASES, build, named
from faultlab.faults.fault import Counts, Fault, Named

EVERY_TOOL = "*"


@dataclass(frozen=True, slots=True)
class Planned:
    """One fault of a plan: a phase and a symptom, or a `fault` by name with its parameters.

    Which call it strikes: of the calls that match, number `occurrence` and the `times - 1` after it; or those sent
    within `during_ns`; or each with `probability`. A fault that takes a receipt away counts only calls that the
    server would answer with 2xx: a call that is refused anyway has none to lose, and would tell the twins apart.
    """

    tool: str
    phase: str = ""
    symptom: str = "timeout"
    occurrence: int = 1
    match: Mapping[str, Any] = field(default_factory=dict)
    required: bool = True
    late_ns: int = 0
    wake: bool = True
    times: int | None = 1
    """None: always."""
    during_ns: tuple[int, int] | None = None
    probability: float | None = None
    name: str = ""
    """The fault by name; then `given` are its parameters, and phase and symptom are its own."""
    given: Mapping[str, Any] = field(default_factory=dict)
    place: int = 0
    """Where it stands in its file: what tells the draws of two faults apart, and is equal in all twins."""

    @property
    def counts(self) -> Counts:
        return NAMED[self.name].counts if self.name else PHASES[self.phase].counts

    @property
    def looks_back(self) -> bool:
        return bool(self.name) and NAMED[self.name].looks_back

    @property
    def last_ns(self) -> int:
        """When its last step is taken at the latest, counted from its call."""
        made = self.fault()
        return made.last_ns() if isinstance(made, Named) else self.late_ns

    def matches(self, call: Call) -> bool:
        if self.tool == EVERY_TOOL and self.name and call.kind not in NAMED[self.name].kinds:
            return False
        return self.tool in (EVERY_TOOL, call.tool) and all(
            call.args.get(name) == value for name, value in self.match.items()
        )

    def fault(self) -> Fault:
        """A fresh one, for one call."""
        if self.name:
            return named(self.name, self.given)
        return build(self.phase, self.symptom, self.late_ns, self.wake)


Plan = tuple[Planned, ...]
