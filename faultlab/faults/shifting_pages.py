"""Somebody adds or removes an entry while a list is read page by page: the pages do not fit together."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from faultlab.core.actions import Commit, Fire, Preview, Reply, Script
from faultlab.core.contract import Contract
from faultlab.core.records import Call, ToolKind
from faultlab.core.tools import Tool
from faultlab.faults.fault import READS, Complaint, Named, Site
from faultlab.faults.lists import lists_of, relisted


@dataclass(frozen=True, slots=True)
class ShiftingPages(Named):
    """On a later page, one read with `cursor`: its first entry was skipped, or the last of the first page repeated."""

    name: ClassVar[str] = "shifting_pages"
    phase: ClassVar[str] = "read"
    kinds: ClassVar[tuple[ToolKind, ...]] = READS
    required: ClassVar[bool] = False
    how: Literal["skip", "repeat"] = "skip"
    cursor: str = "cursor"

    def complaints(self, site: Site) -> Iterator[Complaint]:
        if site.tool is not None and self.cursor not in site.tool.arguments:
            known = ", ".join(site.tool.arguments)
            said = f"{site.tool.name} has no argument {self.cursor!r} to ask for a later page with; known: {known}"
            yield "cursor", said

    def breaks(self, tool: Tool | None, contract: Contract) -> str | None:
        return "a list read to its end is whole" if contract.consistent_reads else None

    def run(self, call: Call) -> Script:
        reply: Reply = yield Commit(call)
        if call.args.get(self.cursor) in (None, ""):
            return reply  # the first page has nothing before it
        yield Fire()
        if self.how == "skip":
            return relisted(reply, lambda entries: entries[1:])
        args = {name: value for name, value in call.args.items() if name != self.cursor}
        return _repeated(reply, (yield Preview(call._replace(args=args))))


def _repeated(page: Reply, first: Reply) -> Reply:
    """A page that begins with the last entry of the first one."""
    before = lists_of(first)
    body = {name: [*before.get(name, [])[-1:], *entries] for name, entries in lists_of(page).items()}
    return page._replace(body={**page.body, **body})
