"""The caller gets the receipt of another call: two answers were swapped on a shared connection."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from faultlab.core.actions import Admit, Commit, Fire, Preview, Reply, Script
from faultlab.core.contract import Contract
from faultlab.core.records import Call, ToolKind
from faultlab.core.tools import Tool
from faultlab.faults.fault import WRITES, Complaint, Named, Site


@dataclass(frozen=True, slots=True)
class CrossedReceipt(Named):
    """The answer is that of a call with these arguments instead. `applied`: the caller's own call had its effect."""

    name: ClassVar[str] = "crossed_receipt"
    phase: ClassVar[str] = "traffic"
    kinds: ClassVar[tuple[ToolKind, ...]] = WRITES
    args: Mapping[str, Any]
    applied: bool = True

    def breaks(self, tool: Tool | None, contract: Contract) -> str | None:
        lies = not self.applied and (tool is None or not tool.provisional)
        return "a complete 2xx of this tool is a result" if lies else None

    def complaints(self, site: Site) -> Iterator[Complaint]:
        if not self.args:
            yield "args", "args are empty: then the answer is the call's own"
        for name in self.args if site.tool is not None else ():
            if site.tool is not None and name not in site.tool.arguments:
                yield "args", f"unknown argument of {site.tool.name} {name!r}; known: {', '.join(site.tool.arguments)}"

    def run(self, call: Call) -> Script:
        other = call._replace(args={**call.args, **self.args})
        crossed: Reply = yield Preview(other._replace(key=None, reference=None))
        if crossed.status >= 300:  # some contracts demand a key or a reference
            crossed = yield Preview(other)
        # A call that would be refused has no receipt to be crossed with this one: then nothing happens.
        refused = crossed.status >= 300
        reply: Reply | None = None
        if self.applied or refused:
            reply = yield Admit(call)
            if reply is None:
                reply = yield Commit(call)
        if refused:
            return reply
        yield Fire()
        return crossed
