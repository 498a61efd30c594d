"""An error whose text says what is not so: that nothing was done, or that all was."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from faultlab.core.actions import Admit, Commit, Fire, Script
from faultlab.core.contract import Contract
from faultlab.core.records import Call, ToolKind
from faultlab.core.tools import Tool
from faultlab.faults.fault import WRITES, Named
from faultlab.faults.refusal import problem

TEXTS = {
    True: "The request was not processed. Please try again.",
    False: "The request was processed, but the connection to the upstream server was lost.",
}
"""By whether the effect is there: always the contrary."""


@dataclass(frozen=True, slots=True)
class MisleadingText(Named):
    """A 5xx. `applied` is the truth; the text says the contrary, unless it is given."""

    name: ClassVar[str] = "misleading_text"
    phase: ClassVar[str] = "liar"
    kinds: ClassVar[tuple[ToolKind, ...]] = WRITES
    applied: bool = True
    status: Literal[500, 502, 503, 504] = 503
    text: str = ""

    @property
    def look(self) -> str:
        return "status"

    def breaks(self, tool: Tool | None, contract: Contract) -> str | None:
        lies = self.applied and self.status in contract.rejects_before_effect
        return f"{self.status} is answered before anything is done" if lies else None

    def run(self, call: Call) -> Script:
        if self.applied and (yield Admit(call)) is None:
            yield Commit(call)
        yield Fire()
        return problem(self.status, "error", self.text or TEXTS[self.applied])
