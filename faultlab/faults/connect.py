"""No connection came about: not a byte of the request has left."""

from dataclasses import dataclass
from typing import ClassVar

from faultlab.core.actions import Fire, Preview, Script
from faultlab.core.records import Call
from faultlab.faults.fault import Counts, Symptom


@dataclass(frozen=True, slots=True)
class Connect:
    """The caller may know that nothing happened."""

    name: ClassVar[str] = "no_connection"
    phase: ClassVar[str] = "connect"
    counts: ClassVar[Counts] = "answered"
    symptom: Symptom

    def run(self, call: Call) -> Script:
        reply = yield Preview(call)
        yield Fire()
        return self.symptom(reply)
