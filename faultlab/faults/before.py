"""The request is lost on its way in: no effect, no key record."""

from dataclasses import dataclass
from typing import ClassVar

from faultlab.core.actions import Fire, Preview, Script
from faultlab.core.records import Call
from faultlab.faults.fault import Counts, Symptom


@dataclass(frozen=True, slots=True)
class Before:
    """Twin `never`."""

    name: ClassVar[str] = "lost_request"
    phase: ClassVar[str] = "before"
    counts: ClassVar[Counts] = "answered"
    symptom: Symptom

    def run(self, call: Call) -> Script:
        reply = yield Preview(call)
        yield Fire()
        return self.symptom(reply)
