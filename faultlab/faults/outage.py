"""For a while nobody listens, whatever is called."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from faultlab.core.actions import Broken, Fire, Script
from faultlab.core.records import Call
from faultlab.faults.fault import Counts, Named


@dataclass(frozen=True, slots=True)
class Outage(Named):
    """No connection comes about. Give it `during`, or `times` calls after which it heals."""

    name: ClassVar[str] = "outage"
    phase: ClassVar[str] = "connect"
    counts: ClassVar[Counts] = "every"
    symptom: Literal["refused", "connect_timeout"] = "refused"

    @property
    def look(self) -> str:
        return self.symptom

    def run(self, call: Call) -> Script:
        yield Fire()
        return Broken(self.symptom)
