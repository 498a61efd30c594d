"""A write is done and acknowledged; for a while reads do not show it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from faultlab.core.actions import Admit, Commit, Fire, Hide, Reply, Script
from faultlab.core.clock import ns
from faultlab.core.contract import Contract
from faultlab.core.records import Call, ToolKind
from faultlab.core.tools import Tool
from faultlab.faults.fault import WRITES, Complaint, Named, Site


@dataclass(frozen=True, slots=True)
class LaggingRead(Named):
    """For `lag_s` reads see the world without this effect; a status query and a fence see it. Looks like phantom."""

    name: ClassVar[str] = "lagging_read"
    phase: ClassVar[str] = "liar"
    kinds: ClassVar[tuple[ToolKind, ...]] = WRITES
    looks_back: ClassVar[bool] = True
    lag_s: float = 30.0

    def complaints(self, site: Site) -> Iterator[Complaint]:
        if self.lag_s <= 0:
            yield "lag_s", f"lag_s is {self.lag_s:g}; it must be above 0, or nothing lags"

    def breaks(self, tool: Tool | None, contract: Contract) -> str | None:
        late = contract.consistent_reads and self.lag_s > contract.read_lag_s
        return f"reads show everything older than {contract.read_lag_s:g} s" if late else None

    def run(self, call: Call) -> Script:
        early: Reply | None = yield Admit(call)
        if early is not None:
            return early
        reply: Reply = yield Commit(call)
        yield Hide(call, call.t + ns(self.lag_s))
        yield Fire()
        return reply
