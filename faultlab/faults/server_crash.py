"""The server dies at a named step, refuses connections while it is down, and comes back with what was durable."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from faultlab.core.actions import Admit, Broken, Commit, Down, Fire, Forget, Script
from faultlab.core.clock import ns
from faultlab.core.contract import Contract
from faultlab.core.records import Call, ToolKind
from faultlab.core.tools import Tool
from faultlab.faults.fault import WRITES, Complaint, Named, Site

Step = Literal["before_key_record", "after_key_record", "after_effect", "after_record"]


@dataclass(frozen=True, slots=True)
class ServerCrash(Named):
    """RST, then nobody listens for `down_s`. The steps look alike until somebody asks.

    `after_key_record`: the key stays held by a request that nobody works on; `after_effect`: its record is lost.
    """

    name: ClassVar[str] = "server_crash"
    phase: ClassVar[str] = "crash"
    kinds: ClassVar[tuple[ToolKind, ...]] = WRITES
    step: Step
    down_s: float = 5.0

    @property
    def look(self) -> str:
        return "reset"

    def complaints(self, site: Site) -> Iterator[Complaint]:
        if self.down_s <= 0:
            yield "down_s", f"down_s is {self.down_s:g}; it must be above 0"
        keyless = site.promising(lambda contract: contract.key is None)
        if keyless is not None and self.step in ("after_key_record", "after_effect"):
            yield "step", f"{keyless} keeps no key records: there the steps are before_key_record and after_record"

    def breaks(self, tool: Tool | None, contract: Contract) -> str | None:
        torn = self.step == "after_effect" and contract.key is not None
        return "effect and key record change together" if torn else None

    def run(self, call: Call) -> Script:
        early = None if self.step == "before_key_record" else (yield Admit(call))
        if early is None and self.step in ("after_effect", "after_record"):
            yield Commit(call)
        if early is None and self.step == "after_effect":
            yield Forget(call)
        yield Down(call.t + ns(self.down_s))
        yield Fire()
        return Broken("reset")
