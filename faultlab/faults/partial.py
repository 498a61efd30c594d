"""Of a call for a list some items are done and the others are not."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from faultlab.core.actions import Admit, Commit, Fire, Script
from faultlab.core.contract import Contract
from faultlab.core.records import Call, ToolKind
from faultlab.core.tools import Tool
from faultlab.faults.fault import WRITES, Complaint, Named, Site
from faultlab.faults.symptoms import LOSING, Losing, denies


@dataclass(frozen=True, slots=True)
class Partial(Named):
    """The first `done` items; the others are answered 503 each. With a symptom the 207 itself is lost."""

    name: ClassVar[str] = "partial"
    phase: ClassVar[str] = "partial"
    kinds: ClassVar[tuple[ToolKind, ...]] = WRITES
    done: int = 1
    symptom: Losing | None = None

    @property
    def look(self) -> str:
        return self.symptom or "answer"

    def complaints(self, site: Site) -> Iterator[Complaint]:
        if self.done < 0:
            yield "done", f"done is {self.done}; it must be 0 or more"
        if site.tool is None or site.tool.items is None:
            name = "a tool" if site.tool is None else site.tool.name
            able = ", ".join(item.name for item in site.tools.values() if item.items) or "no tool of this toolset"
            yield "", f"partial strikes a tool that takes a list of items, which {name} does not; known: {able}"

    def breaks(self, tool: Tool | None, contract: Contract) -> str | None:
        return denies(self.symptom, contract) if self.done else None

    def run(self, call: Call) -> Script:
        reply = yield Admit(call)
        if reply is None:
            if len(call.items) > self.done:
                yield Fire()
            reply = yield Commit(call, done=self.done)
        return reply if self.symptom is None else LOSING[self.symptom](reply)
