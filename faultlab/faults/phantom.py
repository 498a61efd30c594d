"""A complete 2xx for a call that changed nothing: the acknowledgement came before the data was durable."""

from dataclasses import dataclass
from typing import ClassVar

from faultlab.core.actions import Fire, Preview, Reply, Script
from faultlab.core.contract import Contract
from faultlab.core.records import Call, ToolKind
from faultlab.core.tools import Tool
from faultlab.faults.fault import WRITES, Named


@dataclass(frozen=True, slots=True)
class Phantom(Named):
    """The answer is that of a success, ids and all; neither effect nor key record is kept."""

    name: ClassVar[str] = "phantom"
    phase: ClassVar[str] = "liar"
    kinds: ClassVar[tuple[ToolKind, ...]] = WRITES

    def breaks(self, tool: Tool | None, contract: Contract) -> str | None:
        return None if tool is not None and tool.provisional else "a complete 2xx of this tool is a result"

    def run(self, call: Call) -> Script:
        reply: Reply = yield Preview(call)
        yield Fire()
        return reply
