"""The request is held up on its way in: the caller gives up, then the request arrives."""

from dataclasses import dataclass
from typing import ClassVar

from faultlab.core.actions import Admit, Answer, Commit, Fire, Preview, Script, Sleep
from faultlab.core.records import Call
from faultlab.faults.fault import Counts, Symptom


@dataclass(frozen=True, slots=True)
class LateNetwork:
    """Twin `late_network`: a status query finds nothing, a resend under the same key overtakes the original."""

    name: ClassVar[str] = "late_network"
    phase: ClassVar[str] = "late_network"
    counts: ClassVar[Counts] = "answered"
    symptom: Symptom
    late_ns: int
    wake: bool = True

    def run(self, call: Call) -> Script:
        reply = yield Preview(call)
        yield Fire()
        yield Answer(self.symptom(reply))
        yield Sleep(self.late_ns, self.wake)
        if (yield Admit(call)) is None:
            yield Commit(call)
        return None
