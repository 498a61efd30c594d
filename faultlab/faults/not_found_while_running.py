"""The status query says `not_found` of an operation that runs."""

from dataclasses import dataclass
from typing import ClassVar

from faultlab.core.actions import Commit, Fire, Reply, Script
from faultlab.core.contract import Contract
from faultlab.core.records import Call, ToolKind
from faultlab.core.tools import Tool
from faultlab.faults.fault import STATUS, Named


@dataclass(frozen=True, slots=True)
class NotFoundWhileRunning(Named):
    """Where the true answer is `not_ready`; any other answer stays, and the fault has not fired."""

    name: ClassVar[str] = "not_found_while_running"
    phase: ClassVar[str] = "read"
    kinds: ClassVar[tuple[ToolKind, ...]] = STATUS
    required: ClassVar[bool] = False

    def breaks(self, tool: Tool | None, contract: Contract) -> str | None:
        return "operation_status answers definitively" if contract.status else None

    def run(self, call: Call) -> Script:
        reply: Reply = yield Commit(call)
        if reply.body.get("state") != "not_ready":
            return reply
        yield Fire()
        return reply._replace(body={"state": "not_found"})
