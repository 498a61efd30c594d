"""The caller has used up what it may call in a window of time."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from faultlab.core.actions import Admit, Commit, Fire, Reply, Script
from faultlab.core.clock import NS, ns
from faultlab.core.records import Call
from faultlab.faults.fault import Complaint, Counts, Named, Site
from faultlab.faults.refusal import problem, retry_after


@dataclass(frozen=True, slots=True)
class Quota(Named):
    """429 whose Retry-After names the end of the window. The window is that of `during`; after it calls are served."""

    name: ClassVar[str] = "quota"
    phase: ClassVar[str] = "admission"
    counts: ClassVar[Counts] = "every"
    until_s: float

    @property
    def look(self) -> str:
        return "status"

    def complaints(self, site: Site) -> Iterator[Complaint]:
        if self.until_s <= 0:
            yield "until_s", f"until_s is {self.until_s:g}; it must be above 0"

    def run(self, call: Call) -> Script:
        if call.t >= ns(self.until_s):
            early: Reply | None = yield Admit(call)
            return (yield Commit(call)) if early is None else early
        yield Fire()
        wait = retry_after("seconds", self.until_s - call.t / NS, call.t)
        return problem(429, "quota", "The quota of this window is used up.", wait)
