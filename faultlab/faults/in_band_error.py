"""A 200 whose body says that it failed."""

from dataclasses import dataclass
from typing import ClassVar

from faultlab.core.actions import Admit, Commit, Fire, Reply, Script
from faultlab.core.contract import Contract
from faultlab.core.records import Call, ToolKind
from faultlab.core.tools import Tool
from faultlab.faults.fault import WRITES, Named


@dataclass(frozen=True, slots=True)
class InBandError(Named):
    """`ok: false` in a 200. `applied`: the effect is there all the same."""

    name: ClassVar[str] = "in_band_error"
    phase: ClassVar[str] = "liar"
    kinds: ClassVar[tuple[ToolKind, ...]] = WRITES
    applied: bool = False

    def breaks(self, tool: Tool | None, contract: Contract) -> str | None:
        if tool is not None and tool.ok_declared:
            return "ok: false means that nothing was done" if self.applied else None
        promised = self.applied or (tool is not None and tool.provisional)
        return None if promised else "a complete 2xx of this tool is a result"

    def run(self, call: Call) -> Script:
        if self.applied and (yield Admit(call)) is None:
            yield Commit(call)
        yield Fire()
        return Reply(200, {"ok": False, "error": {"code": "internal", "message": "Something went wrong."}})
