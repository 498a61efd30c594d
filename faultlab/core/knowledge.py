"""What the receipts so far prove about each operation: the fold over an attempt's calls, receipts and reads.

An operation (`core/operation.py`) is one intended effect: tool + identity + ordinal. A call that takes a list means
one operation an item, and its 207 is folded item by item.
"""

from collections.abc import Callable, Mapping

from faultlab.core.contract import Contract
from faultlab.core.history import WriteTerms
from faultlab.core.operation import PLAIN, Operation
from faultlab.core.outcome import is_in_flight, outcome_of_items
from faultlab.core.records import Call, Event, Outcome, Receipt, Reveal


class Knowledge:
    """All operations of an attempt, by tool and identity, in order of their first call.

    `intended(tool, identity)` says how many ordinals are wanted: a new handle opens a new ordinal only while
    fewer exist; beyond that it is one more handle for an ordinal that has one.
    """

    __slots__ = ("_by_call", "_intended", "_reads", "_same", "_writers", "_writes", "contract", "operations")

    def __init__(
        self,
        contract: Contract,
        intended: Callable[[str, str], int],
        writes: Mapping[str, WriteTerms] = {},
    ) -> None:
        """`writes`: what each write tool declares about itself; one that is not listed declares nothing."""
        self.contract = contract
        self.operations: list[Operation] = []
        self._intended = intended
        self._writes = writes
        self._by_call: dict[int, list[Operation]] = {}
        self._same: dict[tuple[str, str], list[Operation]] = {}
        """Tool and identity -> its ordinals, in order."""
        self._writers: dict[str, set[Operation]] = {}
        """Versioned thing -> the operations with a call that names it, though perhaps not their last one."""
        self._reads: dict[int, Call] = {}

    def see(self, event: Event) -> None:
        """Take in one event, in order."""
        kind = type(event)
        if kind is Call:
            self.see_call(event)  # type: ignore[arg-type]  # narrowed by identity: isinstance costs more here
        elif kind is Receipt:
            self.see_receipt(event)  # type: ignore[arg-type]  # as above

    def see_call(self, call: Call) -> Operation | None:
        """The operation that the call is for, the first of them if it is for several; None for a read."""
        if call.kind != "write":
            self._reads[call.n] = call
            return None
        meant = [self._sent(part) for part in parts(call)]
        self._by_call[call.n] = meant
        return meant[0]

    def meant(self, number: int) -> list[Operation]:
        """The operations that a call was for, one for each of its parts."""
        return self._by_call.get(number, [])

    def _sent(self, call: Call) -> Operation:
        operation = self.operation_of(call)
        if operation is None:
            same = self._same.setdefault((call.tool, call.identity), [])
            terms = self._writes.get(call.tool, PLAIN)
            operation = Operation(call.tool, call.identity, len(same) + 1, terms)
            self.operations.append(operation)
            same.append(operation)
        operation.sent(call)
        if operation.terms.versioned is not None and (thing := operation.thing) is not None:
            self._writers.setdefault(thing, set()).add(operation)
        return operation

    def operation_of(self, call: Call) -> Operation | None:
        """The operation that a call belongs to, None for a new one; nothing is changed."""
        same = self._same.get((call.tool, call.identity))
        if same is None:
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
        meant = self._by_call.get(receipt.call)
        if meant is not None:
            for operation, part in zip(meant, answers(receipt, len(meant)), strict=True):
                operation.received(part, self.contract)
            return
        call = self._reads.get(receipt.call)
        if call is None:
            return
        answered = receipt.outcome is Outcome.APPLIED
        for sight in receipt.sights if answered else ():
            for operation in self._writers.get(sight.object, ()) if sight.fresh else ():
                if operation.thing == sight.object:
                    operation.looked(call)
        for reveal in receipt.reveals:
            for operation in self._asked_about(reveal):
                operation.read(call, reveal if answered else None, self.contract, receipt)

    def _asked_about(self, reveal: Reveal) -> list[Operation]:
        """The operations that the question behind an answer concerns."""
        named = self.operations if reveal.handle is not None else self._same.get((reveal.tool, reveal.identity), [])
        return [operation for operation in named if about(reveal, operation)]


def parts(call: Call) -> tuple[Call, ...]:
    """The call itself; or, of one that takes a list, one call an item, each with the number of the whole."""
    if not call.items:
        return (call,)
    return tuple([call._replace(identity=item, items=()) for item in call.items])


def answers(receipt: Receipt, count: int) -> list[Receipt]:
    """The receipt for each of `count` items: of a 207 its own line, of any other answer the whole."""
    lines = receipt.body.get("items") if receipt.status == 207 and isinstance(receipt.body, Mapping) else None
    if not isinstance(lines, list):
        return [receipt] * count
    if len(lines) != count:
        return [receipt._replace(outcome=Outcome.UNKNOWN)] * count
    return [
        receipt._replace(outcome=outcome_of_items([line]), status=line["status"], body=line.get("body"))
        if isinstance(line, Mapping) and type(line.get("status")) is int
        else receipt._replace(outcome=Outcome.UNKNOWN)
        for line in lines
    ]


def about(reveal: Reveal, operation: Operation) -> bool:
    """Whether the question behind an answer concerns the operation."""
    if reveal.handle is not None:
        return reveal.handle in operation.handles
    return reveal.tool == operation.tool and reveal.identity == operation.identity


def in_flight(receipt: Receipt | None) -> bool:
    """The last word was that the first request still runs."""
    return receipt is not None and is_in_flight(receipt.status, receipt.body)
