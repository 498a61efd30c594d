"""The request is refused for what it says (RFC 9110 sections 15.5.1 and 15.5.21)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from faultlab.core.actions import Fire, Script
from faultlab.core.records import Call
from faultlab.faults.fault import Complaint, Counts, Named, Site
from faultlab.faults.refusal import problem


@dataclass(frozen=True, slots=True)
class Invalid(Named):
    """400 or 422. `argument` names the one that is refused; `match` says for which values."""

    name: ClassVar[str] = "invalid"
    phase: ClassVar[str] = "admission"
    counts: ClassVar[Counts] = "every"
    status: Literal[400, 422] = 422
    argument: str | None = None
    detail: str = "The request is not valid."

    @property
    def look(self) -> str:
        return "status"

    def complaints(self, site: Site) -> Iterator[Complaint]:
        if self.argument is not None and site.tool is not None and self.argument not in site.tool.arguments:
            known = ", ".join(site.tool.arguments)
            yield "argument", f"unknown argument of {site.tool.name} {self.argument!r}; known: {known}"

    def run(self, call: Call) -> Script:
        yield Fire()
        about = "" if self.argument is None else f"{self.argument}: "
        return problem(self.status, "invalid", f"{about}{self.detail}")
