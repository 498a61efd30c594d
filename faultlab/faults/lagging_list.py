"""A list is made from an index that is behind: what is new is not on it yet, with nothing that says so."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from faultlab.core.actions import AsOf, Commit, Fire, Reply, Script
from faultlab.core.clock import ns
from faultlab.core.contract import Contract
from faultlab.core.records import Call, ToolKind
from faultlab.core.tools import Tool
from faultlab.faults.fault import READS, Complaint, Named, Site
from faultlab.faults.lists import lists_of, name_of


@dataclass(frozen=True, slots=True)
class LaggingList(Named):
    """Entries made within the last `lag_s` are missing; those that are there are up to date."""

    name: ClassVar[str] = "lagging_list"
    phase: ClassVar[str] = "read"
    kinds: ClassVar[tuple[ToolKind, ...]] = READS
    required: ClassVar[bool] = False
    looks_back: ClassVar[bool] = True
    lag_s: float = 30.0

    def complaints(self, site: Site) -> Iterator[Complaint]:
        if self.lag_s <= 0:
            yield "lag_s", f"lag_s is {self.lag_s:g}; it must be above 0, or nothing lags"

    def breaks(self, tool: Tool | None, contract: Contract) -> str | None:
        late = contract.consistent_reads and self.lag_s > contract.read_lag_s
        return f"a list shows everything older than {contract.read_lag_s:g} s" if late else None

    def run(self, call: Call) -> Script:
        then: Reply = yield AsOf(call, call.t - ns(self.lag_s))
        now: Reply = yield Commit(call)
        yield Fire()
        old = {member: {name_of(entry) for entry in entries} for member, entries in lists_of(then).items()}
        body: dict[str, Any] = dict(now.body)
        for member, entries in lists_of(now).items():
            body[member] = [entry for entry in entries if name_of(entry) in old.get(member, ())]
        return now._replace(body=body)
