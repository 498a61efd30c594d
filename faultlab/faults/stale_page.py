"""A read is answered from a copy that is behind."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from faultlab.core.actions import AsOf, Fire, Reply, Script
from faultlab.core.clock import ns
from faultlab.core.contract import Contract
from faultlab.core.records import Call, ToolKind
from faultlab.core.tools import Tool
from faultlab.faults.fault import READS, Complaint, Named, Site


@dataclass(frozen=True, slots=True)
class StalePage(Named):
    """The page as it was `behind_s` ago. With `age` it says so (Age, RFC 9111 section 5.1), without it looks fresh."""

    name: ClassVar[str] = "stale_page"
    phase: ClassVar[str] = "read"
    kinds: ClassVar[tuple[ToolKind, ...]] = READS
    required: ClassVar[bool] = False
    looks_back: ClassVar[bool] = True
    behind_s: float = 60.0
    age: bool = True

    def complaints(self, site: Site) -> Iterator[Complaint]:
        if self.behind_s <= 0:
            yield "behind_s", f"behind_s is {self.behind_s:g}; it must be above 0, or the page is not stale"
        elif self.age and self.behind_s < 1:
            yield "behind_s", f"behind_s is {self.behind_s:g}; Age counts whole seconds: 1 or more, or age: false"

    def breaks(self, tool: Tool | None, contract: Contract) -> str | None:
        hidden = not self.age and contract.consistent_reads and self.behind_s > contract.read_lag_s
        return "a read without Age shows the present" if hidden else None

    def run(self, call: Call) -> Script:
        reply: Reply = yield AsOf(call, call.t - ns(self.behind_s))
        yield Fire()
        if not self.age:
            return reply
        return reply._replace(headers={**reply.headers, "age": str(int(self.behind_s))})
