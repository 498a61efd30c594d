"""The effect and its key record are durable; the receipt is lost on its way out."""

from dataclasses import dataclass
from typing import ClassVar

from faultlab.core.actions import Admit, Commit, Fire, Script
from faultlab.core.records import Call
from faultlab.faults.fault import Counts, Symptom


@dataclass(frozen=True, slots=True)
class After:
    """Twin `committed`."""

    name: ClassVar[str] = "lost_receipt"
    phase: ClassVar[str] = "after"
    counts: ClassVar[Counts] = "answered"
    symptom: Symptom

    def run(self, call: Call) -> Script:
        reply = yield Admit(call)
        if reply is None:
            reply = yield Commit(call)
        yield Fire()
        return self.symptom(reply)
