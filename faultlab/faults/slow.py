"""The whole answer, later than usual."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from faultlab.core.actions import Admit, Commit, Fire, Script, Slow
from faultlab.core.clock import ns
from faultlab.core.records import Call
from faultlab.faults.fault import Complaint, Named, Site


@dataclass(frozen=True, slots=True)
class SlowAnswer(Named):
    """`wait_s` later: in time, or past the caller's patience. The effect is there either way."""

    name: ClassVar[str] = "slow"
    phase: ClassVar[str] = "after"
    wait_s: float = 3.0

    @property
    def look(self) -> str:
        return "slow"

    def complaints(self, site: Site) -> Iterator[Complaint]:
        if self.wait_s <= 0:
            yield "wait_s", f"wait_s is {self.wait_s:g}; it must be above 0"

    def run(self, call: Call) -> Script:
        reply = yield Admit(call)
        if reply is None:
            reply = yield Commit(call)
        yield Fire()
        return Slow(reply, ns(self.wait_s))
