"""The faults of one cell, addressed to calls: tool + occurrence, or tool + arguments; never a global queue."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from faultlab.core.records import Call
from faultlab.faults.catalog import build
from faultlab.faults.fault import Fault


@dataclass(frozen=True, slots=True)
class Planned:
    """One fault of a plan.

    `occurrence` counts, from 1, the calls of the tool that match and that the server would answer with 2xx:
    a call that is refused anyway has no receipt to lose, and would tell the twins apart.
    """

    tool: str
    phase: str
    symptom: str = "timeout"
    occurrence: int = 1
    match: Mapping[str, Any] = field(default_factory=dict)
    required: bool = True
    late_ns: int = 0
    wake: bool = True

    def matches(self, call: Call) -> bool:
        return call.tool == self.tool and all(call.args.get(name) == value for name, value in self.match.items())

    def fault(self) -> Fault:
        return build(self.phase, self.symptom, self.late_ns, self.wake)


Plan = tuple[Planned, ...]
