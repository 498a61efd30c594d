"""A request is overtaken: the old one is applied after a newer one of the same operation."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from faultlab.core.actions import Admit, Answer, Commit, Fire, Preview, Script, Sleep
from faultlab.core.clock import ns
from faultlab.core.contract import Contract
from faultlab.core.records import Call, ToolKind
from faultlab.core.tools import Tool
from faultlab.faults.fault import WRITES, Complaint, Named, Site
from faultlab.faults.symptoms import LOSING, Losing, denies


@dataclass(frozen=True, slots=True)
class Reordering(Named):
    """Its receipt is lost; it lands right after the next write of its tool and identity, else after `at_most_s`."""

    name: ClassVar[str] = "reordering"
    phase: ClassVar[str] = "traffic"
    kinds: ClassVar[tuple[ToolKind, ...]] = WRITES
    symptom: Losing = "timeout"
    at_most_s: float = 120.0

    @property
    def look(self) -> str:
        return self.symptom

    def complaints(self, site: Site) -> Iterator[Complaint]:
        if self.at_most_s <= 0:
            yield "at_most_s", f"at_most_s is {self.at_most_s:g}; it must be above 0"
        settle = [contract.settle_s for contract in site.contracts if contract.settle_s is not None]
        if settle and min(settle) < self.at_most_s:
            yield "at_most_s", f"at_most_s is {self.at_most_s:g}; a contract promises that all is settled sooner"

    def breaks(self, tool: Tool | None, contract: Contract) -> str | None:
        return denies(self.symptom, contract)

    def last_ns(self) -> int:
        return ns(self.at_most_s)

    def run(self, call: Call) -> Script:
        reply = yield Preview(call)
        yield Fire()
        yield Answer(LOSING[self.symptom](reply))
        yield Sleep(ns(self.at_most_s), newer=True)
        if (yield Admit(call)) is None:
            yield Commit(call)
        return None
