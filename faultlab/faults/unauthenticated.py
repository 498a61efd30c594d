"""The caller's credentials are missing, wrong or expired (RFC 9110 section 15.5.2)."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from faultlab.core.actions import Fire, Script
from faultlab.core.records import Call
from faultlab.faults.fault import Counts, Named
from faultlab.faults.refusal import problem


@dataclass(frozen=True, slots=True)
class Unauthenticated(Named):
    """401 with WWW-Authenticate (RFC 6750 section 3). `times` or `during` say when it heals.

    A credential that expires between two calls is one whose first struck occurrence is not the first.
    """

    name: ClassVar[str] = "unauthenticated"
    phase: ClassVar[str] = "admission"
    counts: ClassVar[Counts] = "every"
    reason: Literal["invalid", "expired", "missing"] = "invalid"

    @property
    def look(self) -> str:
        return "status"

    def run(self, call: Call) -> Script:
        yield Fire()
        told = {"invalid": "The access token is invalid.", "expired": "The access token expired."}
        error = f' error="invalid_token", error_description="{told[self.reason]}"' if self.reason in told else ""
        detail = told.get(self.reason, "This call needs an access token.")
        return problem(401, "unauthenticated", detail, {"www-authenticate": f"Bearer{error}"})
