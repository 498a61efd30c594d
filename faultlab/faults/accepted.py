"""202: the request is accepted, and what becomes of it shows later (RFC 9110 section 15.3.3)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from faultlab.core.actions import Abort, Admit, Answer, Commit, Fire, Reply, Script, Sleep
from faultlab.core.clock import ns
from faultlab.core.records import Call, ToolKind
from faultlab.faults.fault import WRITES, Complaint, Named, Site


@dataclass(frozen=True, slots=True)
class Accepted(Named):
    """It finishes or fails `after_s` after it was sent, or stays as it is. Status queries and reads follow it."""

    name: ClassVar[str] = "accepted"
    phase: ClassVar[str] = "accepted"
    kinds: ClassVar[tuple[ToolKind, ...]] = WRITES
    end: Literal["finishes", "fails", "stays"] = "finishes"
    after_s: float = 20.0
    poll_s: float | None = None
    """Retry-After of the 202; null: none."""

    def complaints(self, site: Site) -> Iterator[Complaint]:
        if self.after_s <= 0:
            yield "after_s", f"after_s is {self.after_s:g}; it must be above 0"
        settle = [contract.settle_s for contract in site.contracts if contract.settle_s is not None]
        if self.end == "finishes" and settle and min(settle) < self.after_s:
            yield "after_s", f"after_s is {self.after_s:g}; a contract promises that all is settled sooner"

    @property
    def look(self) -> str:
        return "202"

    def last_ns(self) -> int:
        return 0 if self.end == "stays" else ns(self.after_s)

    def run(self, call: Call) -> Script:
        early: Reply | None = yield Admit(call)
        if early is not None:
            return early
        yield Fire()
        body: dict[str, Any] = {"state": "accepted"}
        if (handle := call.reference or call.key) is not None:
            body["operation"] = handle
        wait = {} if self.poll_s is None else {"retry-after": str(max(1, round(self.poll_s)))}
        yield Answer(Reply(202, body, wait))
        if self.end == "stays":
            return None
        yield Sleep(ns(self.after_s))
        yield Commit(call) if self.end == "finishes" else Abort(call)
        return None
