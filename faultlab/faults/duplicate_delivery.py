"""The network delivers one request twice."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from faultlab.core.actions import Admit, Answer, Commit, Fire, Reply, Script, Sleep
from faultlab.core.clock import ns
from faultlab.core.contract import Contract
from faultlab.core.records import Call, ToolKind
from faultlab.core.tools import Tool
from faultlab.faults.fault import WRITES, Complaint, Named, Site, unsettled


@dataclass(frozen=True, slots=True)
class DuplicateDelivery(Named):
    """The second copy comes `delay_s` after the first, and its answer is dropped. A key makes it harmless."""

    name: ClassVar[str] = "duplicate_delivery"
    phase: ClassVar[str] = "traffic"
    kinds: ClassVar[tuple[ToolKind, ...]] = WRITES
    delay_s: float = 0.0

    def complaints(self, site: Site) -> Iterator[Complaint]:
        if self.delay_s < 0:
            yield "delay_s", f"delay_s is {self.delay_s:g}; it must be 0 or more"

    def breaks(self, tool: Tool | None, contract: Contract) -> str | None:
        return unsettled(contract, self.delay_s)

    def last_ns(self) -> int:
        return ns(self.delay_s)

    def run(self, call: Call) -> Script:
        early: Reply | None = yield Admit(call)
        if early is not None:
            return early
        reply: Reply = yield Commit(call)
        yield Fire()
        yield Answer(reply)
        yield Sleep(ns(self.delay_s))
        if (yield Admit(call)) is None:
            yield Commit(call, "server")
        return None
