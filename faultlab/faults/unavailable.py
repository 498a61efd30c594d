"""The server is overloaded or in maintenance: refused before anything is looked up."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from faultlab.core.actions import Fire, Script
from faultlab.core.records import Call
from faultlab.faults.fault import Complaint, Counts, Named, Site
from faultlab.faults.refusal import RetryAfter, problem, retry_after


@dataclass(frozen=True, slots=True)
class Unavailable(Named):
    """503, with Retry-After in one of its forms (RFC 9110 section 15.6.4).

    Nothing is done; the status does not prove it, unless the contract lists it.
    """

    name: ClassVar[str] = "unavailable"
    phase: ClassVar[str] = "admission"
    counts: ClassVar[Counts] = "every"
    retry_after: RetryAfter = "seconds"
    wait_s: float = 2.0

    @property
    def look(self) -> str:
        return "status"

    def complaints(self, site: Site) -> Iterator[Complaint]:
        if self.wait_s <= 0:
            yield "wait_s", f"wait_s is {self.wait_s:g}; it must be above 0 (retry_after: zero asks for no wait)"

    def run(self, call: Call) -> Script:
        yield Fire()
        wait = retry_after(self.retry_after, self.wait_s, call.t)
        return problem(503, "unavailable", "The service is temporarily unavailable.", wait)
