"""A proxy between caller and server sends the request again by itself."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from faultlab.core.actions import Admit, Commit, Fire, Preview, Script, Sleep
from faultlab.core.clock import ns
from faultlab.core.contract import Contract
from faultlab.core.records import Call, ToolKind
from faultlab.core.tools import Tool
from faultlab.faults.fault import WRITES, Complaint, Named, Site, unsettled
from faultlab.faults.symptoms import LOSING, Losing, denies


@dataclass(frozen=True, slots=True)
class MiddleboxResend(Named):
    """After `wait_s` without an answer. `first` is what became of the first copy; the second is carried out.

    A second effect is the proxy's fault: `cause: middlebox`. Without a symptom the caller has the second answer.
    """

    name: ClassVar[str] = "middlebox_resend"
    phase: ClassVar[str] = "traffic"
    kinds: ClassVar[tuple[ToolKind, ...]] = WRITES
    first: Literal["never", "committed"] = "committed"
    wait_s: float = 1.0
    symptom: Losing | None = None

    @property
    def look(self) -> str:
        return self.symptom or "answer"

    def complaints(self, site: Site) -> Iterator[Complaint]:
        if self.wait_s <= 0:
            yield "wait_s", f"wait_s is {self.wait_s:g}; it must be above 0"

    def breaks(self, tool: Tool | None, contract: Contract) -> str | None:
        return unsettled(contract, self.wait_s) or denies(self.symptom, contract)

    def last_ns(self) -> int:
        return ns(self.wait_s)

    def run(self, call: Call) -> Script:
        shown = yield Preview(call)
        applied = self.first == "committed" and (yield Admit(call)) is None
        if applied:
            yield Commit(call)
        yield Sleep(ns(self.wait_s))
        yield Fire()
        reply = yield Admit(call)
        if reply is None:
            reply = yield Commit(call, "middlebox" if applied else "agent")
        return reply if self.symptom is None else LOSING[self.symptom](shown)
