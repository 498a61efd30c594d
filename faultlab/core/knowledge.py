"""What the receipts so far prove about each operation: the fold over an attempt's calls, receipts and reads.

An operation is one intended effect: tool + identity + ordinal. APPLIED sticks. A refusal settles only the call
it answers. UNKNOWN ends only by a protected receipt or by conclusive evidence.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from faultlab.core.canonical import label
from faultlab.core.clock import ns
from faultlab.core.contract import Contract
from faultlab.core.outcome import is_in_flight
from faultlab.core.records import Call, Event, Outcome, Receipt, Reveal


class Read(NamedTuple):
    """One answer, or failure, of a surface that was asked about the operation."""

    call: int
    started_ns: int
    reveal: Reveal | None
    """None: the surface did not answer."""
    kind: str


class Operation:
    """One intended effect, and all that is known of it."""

    __slots__ = (
        "applied",
        "calls",
        "handles",
        "identity",
        "last_receipt",
        "last_unknown_ns",
        "open",
        "ordinal",
        "reads",
        "refusal",
        "settled_by",
        "tombs",
        "tool",
    )

    def __init__(self, tool: str, identity: str, ordinal: int = 1) -> None:
        self.tool = tool
        self.identity = identity
        self.ordinal = ordinal
        self.calls: list[Call] = []
        self.handles: set[str] = set()
        self.open: set[int] = set()
        """Calls that may still have, or come to have, an effect."""
        self.applied: int = 0
        """The call whose receipt proved it; 0: not proved."""
        self.refusal: Receipt | None = None
        self.settled_by: int = 0
        """The last read that showed of an open call that it had no effect; 0: none."""
        self.last_receipt: Receipt | None = None
        self.last_unknown_ns = -1
        self.reads: list[Read] = []
        self.tombs: set[str] = set()
        """Handles that a durable fence has barred."""

    @property
    def label(self) -> str:
        return label(self.tool, self.identity, self.ordinal)

    @property
    def knowledge(self) -> Outcome | None:
        """None: nothing was sent."""
        if self.applied:
            return Outcome.APPLIED
        if self.open:
            return Outcome.UNKNOWN
        return Outcome.NOT_APPLIED if self.calls else None

    def sent(self, call: Call) -> None:
        self.calls.append(call)
        self.open.add(call.n)
        if call.key is not None:
            self.handles.add(call.key)
        if call.reference is not None:
            self.handles.add(call.reference)

    def received(self, receipt: Receipt, contract: Contract) -> None:
        """The receipt of one of its own calls."""
        self.last_receipt = receipt
        outcome = receipt.outcome
        if outcome is Outcome.APPLIED:
            self.applied = self.applied or receipt.call
        elif outcome is Outcome.UNKNOWN:
            self.last_unknown_ns = receipt.t
        else:
            self.open.discard(receipt.call)
            self.refusal = receipt
            if is_replay(receipt, contract):
                key = next(call.key for call in self.calls if call.n == receipt.call)
                self.open -= {call.n for call in self.calls if call.key == key}

    def read(self, call: Call, reveal: Reveal | None, contract: Contract) -> None:
        """An answer about it. `reveal` None: the surface was asked and gave nothing."""
        if reveal is not None:
            if reveal.answer == "present" and self._shown(reveal, contract):
                self.applied = self.applied or call.n
            elif reveal.answer in ("absent", "fenced") or _only_others(reveal):
                if reveal.answer == "fenced" and reveal.definitive and reveal.handle is not None:
                    self.tombs.add(reveal.handle)
                asked = self._asked_about(call, reveal)
                if conclusive_absence(reveal, call.t, asked, contract):
                    settled = self.open.intersection([item.n for item in asked])
                    if settled:
                        self.open -= settled
                        self.settled_by = call.n
        self.reads.append(Read(call.n, call.t, reveal, call.kind))

    def _asked_about(self, read: Call, reveal: Reveal) -> list[Call]:
        """Its calls sent before the read; of those, asked by handle, the ones that bear it."""
        handle = reveal.handle
        return [item for item in self.calls if item.n < read.n and handle in (None, item.key, item.reference)]

    def _shown(self, reveal: Reveal, contract: Contract) -> bool:
        """Own key or reference; without a handle it is proof only where nobody else writes."""
        if any(handle in self.handles for handle in reveal.shown if handle is not None):
            return True
        return contract.writers == "one" and len(reveal.shown) >= self.ordinal


def _only_others(reveal: Reveal) -> bool:
    """A list on which every effect bears a handle, none of them one's own: one's own is absent."""
    return reveal.answer == "present" and reveal.handle is None and None not in reveal.shown


def conclusive_absence(reveal: Reveal, started_ns: int, calls: Iterable[Call], contract: Contract) -> bool:
    """A definitive answer, or a fresh whole list that began after everything sent must have settled."""
    if reveal.definitive:
        return True
    if contract.settle_s is None or not contract.consistent_reads or not reveal.fresh:
        return False
    wait_ns = ns(contract.settle_s + contract.read_lag_s)
    return all(started_ns >= call.t + wait_ns for call in calls)


def is_replay(receipt: Receipt, contract: Contract) -> bool:
    """It carries the marker by which this contract tells a replayed answer."""
    return (
        contract.key is not None
        and contract.key.replay_header is not None
        and (contract.key.replay_header.lower() in receipt.headers)
    )


class Knowledge:
    """All operations of an attempt, by tool and identity, in order of their first call.

    `intended(tool, identity)` says how many ordinals are wanted: a new handle opens a new ordinal only while
    fewer exist; beyond that it is one more handle for an ordinal that has one.
    """

    __slots__ = ("_by_call", "_intended", "_reads", "contract", "operations")

    def __init__(self, contract: Contract, intended: Callable[[str, str], int]) -> None:
        self.contract = contract
        self.operations: list[Operation] = []
        self._intended = intended
        self._by_call: dict[int, Operation] = {}
        self._reads: dict[int, Call] = {}

    def see(self, event: Event) -> None:
        """Take in one event, in order."""
        kind = type(event)
        if kind is Call:
            self.see_call(event)  # type: ignore[arg-type]  # narrowed by identity: isinstance costs more here
        elif kind is Receipt:
            self.see_receipt(event)  # type: ignore[arg-type]  # as above

    def see_call(self, call: Call) -> Operation | None:
        if call.kind != "write":
            self._reads[call.n] = call
            return None
        operation = self.operation_of(call)
        if operation is None:
            same = [item for item in self.operations if item.tool == call.tool and item.identity == call.identity]
            operation = Operation(call.tool, call.identity, len(same) + 1)
            self.operations.append(operation)
        operation.sent(call)
        self._by_call[call.n] = operation
        return operation

    def operation_of(self, call: Call) -> Operation | None:
        """The operation that a call belongs to, None for a new one; nothing is changed."""
        same = [item for item in self.operations if item.tool == call.tool and item.identity == call.identity]
        if not same:
            return None
        handles = {call.key, call.reference} - {None}
        for item in same:
            if handles & item.handles:
                return item
        if not handles:
            return same[-1]
        for item in same:
            if item.knowledge is Outcome.NOT_APPLIED:
                return item
        if len(same) < self._intended(call.tool, call.identity):
            return None
        return next((item for item in same if item.knowledge is Outcome.UNKNOWN), same[-1])

    def see_receipt(self, receipt: Receipt) -> None:
        operation = self._by_call.get(receipt.call)
        if operation is not None:
            operation.received(receipt, self.contract)
            return
        call = self._reads.get(receipt.call)
        if call is None or not receipt.reveals:
            return
        answered = receipt.outcome is Outcome.APPLIED
        for reveal in receipt.reveals:
            for operation in self.operations:
                if about(reveal, operation):
                    operation.read(call, reveal if answered else None, self.contract)


def about(reveal: Reveal, operation: Operation) -> bool:
    """Whether the question behind an answer concerns the operation."""
    if reveal.handle is not None:
        return reveal.handle in operation.handles
    return reveal.tool == operation.tool and reveal.identity == operation.identity


def in_flight(receipt: Receipt | None) -> bool:
    """The last word was that the first request still runs."""
    return receipt is not None and is_in_flight(receipt.status, receipt.body)
