"""A list of which only the first part comes, in a complete answer."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from faultlab.core.actions import Commit, Fire, Script
from faultlab.core.contract import Contract
from faultlab.core.records import Call, ToolKind
from faultlab.core.tools import Tool
from faultlab.faults.fault import READS, Complaint, Named, Site
from faultlab.faults.lists import relisted


@dataclass(frozen=True, slots=True)
class TruncatedList(Named):
    """The first `keep` entries. `marker` is how the answer says so: `complete: false`, a `next`, or not at all."""

    name: ClassVar[str] = "truncated_list"
    phase: ClassVar[str] = "read"
    kinds: ClassVar[tuple[ToolKind, ...]] = READS
    required: ClassVar[bool] = False
    keep: int = 0
    marker: Literal["complete", "next", "none"] = "complete"

    def complaints(self, site: Site) -> Iterator[Complaint]:
        if self.keep < 0:
            yield "keep", f"keep is {self.keep}; it must be 0 or more"

    def breaks(self, tool: Tool | None, contract: Contract) -> str | None:
        silent = self.marker == "none" and contract.consistent_reads
        return "a list without a mark is whole" if silent else None

    def _cursor(self, call: Call) -> str:
        """Where the rest begins, for a tool whose cursor is a position."""
        begin = str(call.args.get("cursor") or "0")
        return str(int(begin) + self.keep) if begin.isdigit() else f"{begin}+{self.keep}"

    def run(self, call: Call) -> Script:
        reply = yield Commit(call)
        yield Fire()
        members: dict[str, Any] = {}
        if self.marker == "complete":
            members = {"complete": False}
        elif self.marker == "next":
            members = {"complete": False, "next": self._cursor(call)}
        return relisted(reply, lambda entries: entries[: self.keep], **members)
