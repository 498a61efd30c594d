"""The whole answer, piece by piece."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from faultlab.core.actions import Admit, Commit, Dribble, Fire, Script
from faultlab.core.clock import ns
from faultlab.core.records import Call
from faultlab.faults.fault import Complaint, Named, Site


@dataclass(frozen=True, slots=True)
class DribbledAnswer(Named):
    """In 8 pieces, `gap_s` apart. A read timeout holds for each gap, so a slow answer may take longer than it."""

    name: ClassVar[str] = "dribble"
    phase: ClassVar[str] = "after"
    gap_s: float = 0.5

    @property
    def look(self) -> str:
        return "dribble"

    def complaints(self, site: Site) -> Iterator[Complaint]:
        if self.gap_s <= 0:
            yield "gap_s", f"gap_s is {self.gap_s:g}; it must be above 0"

    def run(self, call: Call) -> Script:
        reply = yield Admit(call)
        if reply is None:
            reply = yield Commit(call)
        yield Fire()
        return Dribble(reply, ns(self.gap_s))
