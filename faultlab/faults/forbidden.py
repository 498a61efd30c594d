"""The caller may not do this, whoever it proves to be (RFC 9110 section 15.5.4)."""

from dataclasses import dataclass
from typing import ClassVar

from faultlab.core.actions import Fire, Script
from faultlab.core.records import Call
from faultlab.faults.fault import Counts, Named
from faultlab.faults.refusal import problem


@dataclass(frozen=True, slots=True)
class Forbidden(Named):
    """403. For a refusal that stays, `times: always`."""

    name: ClassVar[str] = "forbidden"
    phase: ClassVar[str] = "admission"
    counts: ClassVar[Counts] = "every"
    detail: str = "You are not allowed to do this."

    @property
    def look(self) -> str:
        return "status"

    def run(self, call: Call) -> Script:
        yield Fire()
        return problem(403, "forbidden", self.detail)
