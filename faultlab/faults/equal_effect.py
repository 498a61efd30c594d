"""Somebody else makes the very effect that the caller wants, and the caller's own call is lost."""

from dataclasses import dataclass
from typing import ClassVar

from faultlab.core.actions import Admit, Commit, Fire, Meddle, Preview, Reply, Script
from faultlab.core.contract import Contract
from faultlab.core.records import Call, ToolKind
from faultlab.core.tools import Tool
from faultlab.faults.fault import WRITES, Named
from faultlab.faults.symptoms import LOSING, Losing


@dataclass(frozen=True, slots=True)
class EqualEffect(Named):
    """Beside a twin `committed` of the same symptom: only the own key or reference tells which is which.

    `symptom: null`: the caller's own call is carried out and answered too.
    """

    name: ClassVar[str] = "equal_effect"
    phase: ClassVar[str] = "interference"
    kinds: ClassVar[tuple[ToolKind, ...]] = WRITES
    symptom: Losing | None = "timeout"
    reference: str | None = None

    @property
    def look(self) -> str:
        return self.symptom or "answer"

    def breaks(self, tool: Tool | None, contract: Contract) -> str | None:
        return "nobody else writes these objects" if contract.writers == "one" else None

    def run(self, call: Call) -> Script:
        reply: Reply = yield Preview(call)
        if (yield Meddle(call.tool, call.args, "interference", self.reference)).status < 300:
            yield Fire()
        if self.symptom is not None:
            return LOSING[self.symptom](reply)
        early: Reply | None = yield Admit(call)
        if early is None:
            early = yield Commit(call)
        return early
