"""One entry is missing from a list that is otherwise whole."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from faultlab.core.actions import Commit, Fire, Script
from faultlab.core.contract import Contract
from faultlab.core.records import Call, ToolKind
from faultlab.core.tools import Tool
from faultlab.faults.fault import READS, Complaint, Named, Site
from faultlab.faults.lists import Entries, lists_of, relisted


@dataclass(frozen=True, slots=True)
class MissingRow(Named):
    """Entry number `row`, from 1; where there are fewer, the fault has not fired."""

    name: ClassVar[str] = "missing_row"
    phase: ClassVar[str] = "read"
    kinds: ClassVar[tuple[ToolKind, ...]] = READS
    required: ClassVar[bool] = False
    row: int = 1

    def complaints(self, site: Site) -> Iterator[Complaint]:
        if self.row < 1:
            yield "row", f"row is {self.row}; rows are counted from 1"

    def breaks(self, tool: Tool | None, contract: Contract) -> str | None:
        return "a list without a mark is whole" if contract.consistent_reads else None

    def run(self, call: Call) -> Script:
        reply = yield Commit(call)
        if any(len(entries) >= self.row for entries in lists_of(reply).values()):
            yield Fire()
        return relisted(reply, self._without)

    def _without(self, entries: Entries) -> Entries:
        return [entry for place, entry in enumerate(entries, 1) if place != self.row]
