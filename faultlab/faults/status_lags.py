"""The status query is answered from a copy that is behind."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from faultlab.core.actions import AsOf, Fire, Reply, Script
from faultlab.core.clock import ns
from faultlab.core.contract import Contract
from faultlab.core.records import Call, ToolKind
from faultlab.core.tools import Tool
from faultlab.faults.fault import STATUS, Complaint, Named, Site


@dataclass(frozen=True, slots=True)
class StatusLags(Named):
    """It says what was true `lag_s` ago, and its `not_found` bars nothing."""

    name: ClassVar[str] = "status_lags"
    phase: ClassVar[str] = "read"
    kinds: ClassVar[tuple[ToolKind, ...]] = STATUS
    required: ClassVar[bool] = False
    looks_back: ClassVar[bool] = True
    lag_s: float = 30.0

    def complaints(self, site: Site) -> Iterator[Complaint]:
        if self.lag_s <= 0:
            yield "lag_s", f"lag_s is {self.lag_s:g}; it must be above 0, or nothing lags"

    def breaks(self, tool: Tool | None, contract: Contract) -> str | None:
        return "operation_status answers definitively" if contract.status else None

    def run(self, call: Call) -> Script:
        reply: Reply = yield AsOf(call, call.t - ns(self.lag_s))
        yield Fire()
        return reply
