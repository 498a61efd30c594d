"""The request is admitted and runs on after the caller gave up."""

from dataclasses import dataclass
from typing import ClassVar

from faultlab.core.actions import Admit, Answer, Commit, Fire, Preview, Script, Sleep
from faultlab.core.records import Call
from faultlab.faults.fault import Counts, Symptom


@dataclass(frozen=True, slots=True)
class LateServer:
    """Twin `late_server`: a status query answers not_ready, a resend under the same key is told "in flight"."""

    name: ClassVar[str] = "late_server"
    phase: ClassVar[str] = "late_server"
    counts: ClassVar[Counts] = "answered"
    symptom: Symptom
    late_ns: int
    wake: bool = True

    def run(self, call: Call) -> Script:
        reply = yield Preview(call)
        early = yield Admit(call)
        yield Fire()
        yield Answer(self.symptom(reply if early is None else early))
        if early is None:
            yield Sleep(self.late_ns, self.wake)
            yield Commit(call)
        return None
