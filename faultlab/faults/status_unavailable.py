"""What could tell of the outcome does not answer."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from faultlab.core.actions import Broken, Delivery, Fire, Script, Silence
from faultlab.core.records import Call, ToolKind
from faultlab.faults.fault import Counts, Named
from faultlab.faults.refusal import problem


@dataclass(frozen=True, slots=True)
class StatusUnavailable(Named):
    """A read, status query or fence gives 503, silence, a reset, or no connection."""

    name: ClassVar[str] = "status_unavailable"
    phase: ClassVar[str] = "read"
    counts: ClassVar[Counts] = "every"
    kinds: ClassVar[tuple[ToolKind, ...]] = ("read", "status", "fence")
    required: ClassVar[bool] = False
    symptom: Literal["status", "timeout", "reset", "refused"] = "status"

    @property
    def look(self) -> str:
        return self.symptom

    def run(self, call: Call) -> Script:
        yield Fire()
        looks: dict[str, Delivery] = {
            "status": problem(503, "unavailable", "Queries are unavailable at present."),
            "timeout": Silence(),
            "reset": Broken("reset"),
            "refused": Broken("refused"),
        }
        return looks[self.symptom]
