"""The effect is durable, its key record is not: a crash between the two writes."""

from dataclasses import dataclass
from typing import ClassVar

from faultlab.core.actions import Admit, Commit, Fire, Forget, Script
from faultlab.core.records import Call
from faultlab.faults.fault import Counts, Symptom


@dataclass(frozen=True, slots=True)
class Torn:
    """The server breaks its own promise: a resend under the same key has a second effect, and that is its fault."""

    name: ClassVar[str] = "torn_record"
    phase: ClassVar[str] = "torn"
    counts: ClassVar[Counts] = "answered"
    symptom: Symptom

    def run(self, call: Call) -> Script:
        reply = yield Admit(call)
        if reply is None:
            reply = yield Commit(call)
            yield Forget(call)
        yield Fire()
        return self.symptom(reply)
