"""What the rules about pace share: each call, beside the last one that asked for the same, and what that one got."""

from collections.abc import Hashable, Iterable
from typing import NamedTuple

from faultlab.core.canonical import canonical
from faultlab.core.clock import NS
from faultlab.core.records import Call, Receipt
from faultlab.rules.evidence import Evidence

OVERLOADED = frozenset({429, 503})
"""Too much at once (RFC 6585 section 4, RFC 9110 section 15.6.4)."""


class Again(NamedTuple):
    """A call that asks for what was asked before."""

    about: str
    """Label of the operation; empty for a read."""
    before: Call
    answer: Receipt
    call: Call

    @property
    def wait_ns(self) -> int:
        """Between the answer and the call."""
        return self.call.t - self.answer.t


def repeated(evidence: Evidence) -> Iterable[Again]:
    """In the order of the calls. Writes: the same operation, whatever its parameters; reads: the same question."""
    labels = {send.call.n: send.operation.label for send in evidence.sends}
    last: dict[Hashable, Call] = {}
    for call in evidence.made:
        about = labels.get(call.n, "")
        key = about or (call.tool, canonical(call.args))
        before = last.get(key)
        last[key] = call
        answer = None if before is None else evidence.receipts.get(before.n)
        if before is not None and answer is not None and answer.t <= call.t:
            yield Again(about, before, answer, call)


def seconds(wait_ns: int) -> str:
    """`0.05 s`."""
    return f"{max(0, wait_ns) / NS:.2f} s"
