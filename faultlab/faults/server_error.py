"""The server itself breaks down in a call that it has begun, and says so with a 500."""

from dataclasses import dataclass
from typing import ClassVar

from faultlab.core.actions import Admit, Fail, Fire, Reply, Script
from faultlab.core.contract import Contract
from faultlab.core.records import Call, ToolKind
from faultlab.core.tools import Tool
from faultlab.faults.fault import WRITES, Named


@dataclass(frozen=True, slots=True)
class ServerError(Named):
    """500, before the effect or (`applied`) after it; which one it was cannot be seen. What the same key gets next is
    the contract's own: the 500 again, the result, or another execution."""

    name: ClassVar[str] = "server_error"
    phase: ClassVar[str] = "execution"
    kinds: ClassVar[tuple[ToolKind, ...]] = WRITES
    applied: bool = True

    @property
    def look(self) -> str:
        return "status"

    def breaks(self, tool: Tool | None, contract: Contract) -> str | None:
        denied = self.applied and 500 in contract.rejects_before_effect
        return "500 is answered before anything is done" if denied else None

    def run(self, call: Call) -> Script:
        early: Reply | None = yield Admit(call)
        if early is not None:
            return early
        reply: Reply = yield Fail(call, self.applied)
        yield Fire()
        return reply
