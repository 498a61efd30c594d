"""What the caller had noted falls out of its memory, as from a context that was cut."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from faultlab.core.actions import Admit, Commit, Fire, Script, Unnote
from faultlab.core.records import Call
from faultlab.faults.fault import Complaint, Named, Site
from faultlab.faults.symptoms import LOSING, Losing


@dataclass(frozen=True, slots=True)
class MemoryLoss(Named):
    """With the receipt of the call the notes of these names are gone. A symptom may take the receipt as well."""

    name: ClassVar[str] = "memory_loss"
    phase: ClassVar[str] = "memory"
    names: tuple[str, ...]
    symptom: Losing | None = None

    @property
    def look(self) -> str:
        return self.symptom or "answer"

    def complaints(self, site: Site) -> Iterator[Complaint]:
        if not self.names:
            yield "names", "names is empty; name the notes that fall out of memory"

    def run(self, call: Call) -> Script:
        reply = yield Admit(call)
        if reply is None:
            reply = yield Commit(call)
        yield Unnote(tuple(self.names))
        yield Fire()
        return reply if self.symptom is None else LOSING[self.symptom](reply)
