"""client: one operation of the journal as a recovery: restored from its rows, and written back to them."""

import json
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID, uuid5

from faultlab.client.leaving import Departure
from faultlab.client.recovery import Intent, Log, Recovery
from faultlab.client.tool_spec import ToolSpec
from faultlab.core.agent import CALL_COST, Budget, Task
from faultlab.core.canonical import digest
from faultlab.core.clock import NS, Clock, RealClock, unix_ns
from faultlab.core.contract import CONDITION_FIELD
from faultlab.core.entitled import Left, Move, entitled
from faultlab.core.knowledge import about
from faultlab.core.records import Call, HandOver, Outcome, Receipt, Reveal
from faultlab.records.journal_rows import CallRow, Claimed, OperationRow, ReceiptRow

NAMESPACE = UUID("6f1d7a3e-64c0-5c55-9d0b-0d5a3f1e9b42")
"""Keys are name-based UUIDs (RFC 9562 section 5.5) under this one: 36 characters, which every vendor takes."""
LEFT = "faultlab-left"
"""Beside the headers of a stored receipt: when its request left at the latest, in nanoseconds since the epoch."""
LIKELY = 8
"""More often than this no operation has its handles renewed."""
LEAP_NS = NS
"""So far ahead of a monotonic clock the wall clock is no longer out by a correction: the host slept."""
UNLIMITED = Budget(10**9, 1e12, 1e12)


def handle_of(*parts: str | int) -> str:
    """A UUID that depends on each part, and on nothing else."""
    return str(uuid5(NAMESPACE, json.dumps(parts)))


def unconditional(args: Mapping[str, Any]) -> Mapping[str, Any]:
    """The parameters without the version on which the write rests: that says when, not what."""
    return {name: value for name, value in args.items() if name != CONDITION_FIELD}


class Times:
    """A clock that began once, in nanoseconds since the epoch: what a journal can keep over restarts.

    A monotonic clock stands still while its host sleeps, so a real one follows the wall clock forward, never back.
    """

    __slots__ = ("_began_ns", "_real", "clock")

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._real = isinstance(clock, RealClock)
        self._began_ns = unix_ns() - clock.now()

    def now_ns(self) -> int:
        now_ns = self._began_ns + self.clock.now()
        if self._real and (behind_ns := unix_ns() - now_ns) > LEAP_NS:
            self._began_ns += behind_ns
            return now_ns + behind_ns
        return now_ns


class _Since:
    """The clock of one operation: seconds since it began, over all restarts."""

    __slots__ = ("_began_ns", "_times")

    def __init__(self, times: Times, began_ns: int) -> None:
        self._times = times
        self._began_ns = began_ns

    def now(self) -> float:
        return (self._times.now_ns() - self._began_ns) / NS


class Work(Recovery):
    """The operation that was claimed. What earlier lives of it used does not count in the budget of this one."""

    def __init__(
        self,
        spec: ToolSpec,
        args: Mapping[str, Any],
        claimed: Claimed,
        budget: Budget,
        times: Times,
        lease_ns: int,
        *,
        lost: bool = False,
    ) -> None:
        row = claimed.row
        self.row: OperationRow = row
        self.spec = spec
        self.times = times
        self.calls: dict[int, CallRow] = {call.n: call for call in claimed.calls}
        self.receipts: dict[int, Receipt] = {}
        self.departure: Departure | None = None
        """Of the write that is under way."""
        self._late: dict[int, int] = {}
        """When a write of this life left, which may be later than it was written down."""
        self.bodies: dict[int, Any] = {}
        """What a function really returned in this life, where the journal holds its JSON."""
        self._lease_ns = lease_ns
        used = max((call.n for call in claimed.calls), default=0)
        elapsed_s = (times.now_ns() - row.began_ns) / NS
        extended = Budget(budget.calls + used, budget.seconds + elapsed_s, budget.cost + used * CALL_COST)
        task = Task(row.id, "", {}, extended, spec.specs)
        self.given = args
        intent, since = Intent(spec.name, unconditional(args), row.name, row.ordinal), _Since(times, row.began_ns)
        super().__init__(intent, task, since, Log(used))
        used_handles = {(call.key, call.reference) for call in claimed.calls if call.kind == "write"}
        self.generation = 0
        self._lost = lost
        if lost:
            self._assume_sent()
        self.generation = max(0, len(used_handles) - 1)
        self._fold(claimed)
        if not self.same_parameters and self.correctable:
            # Corrected after a refusal: what was refused says nothing about it, and it gets handles of its own.
            super().__init__(intent, task, since, Log(used))
            self.generation = len(used_handles)
        self.if_match = args.get(CONDITION_FIELD)

    def _take_up(self) -> None:
        """The past is in the journal, and folded below."""

    def _assume_sent(self) -> None:
        """It was sent before this journal began, for all that anybody knows. Renewed handles would be its own, too."""
        handles = (None, self.reference, self.given.get(CONDITION_FIELD))
        self.operation.sent(Call(-1, 0, self.spec.name, "write", self.intent.args, self.row.identity, *handles))
        if self.takes_reference and not self.takes_key:
            self.operation.handles |= {handle_of(self.row.id, "reference", n) for n in range(LIKELY)}

    def tool_for(self, move: Move) -> str | None:
        """Where the journal was lost a fence would bar the first handles, and tell nothing of those after them."""
        return None if self._lost and move is Move.FENCE else super().tool_for(move)

    def write_down(self, call: Call) -> None:
        """The journal holds it before it leaves (`operate.py`)."""

    @property
    def key(self) -> str | None:
        return handle_of(self.row.id, "key", self.generation) if self.takes_key else None

    @property
    def reference(self) -> str | None:
        return handle_of(self.row.id, "reference", self.generation) if self.takes_reference else None

    def _fold(self, claimed: Claimed) -> None:
        answered = {row.n: int(row.headers.get(LEFT, 0)) for row in claimed.receipts}
        calls = {row.n: self._call(row, claimed.row.args, answered.get(row.n)) for row in claimed.calls}
        moments: list[tuple[int, int, bool, Any]] = [(call.t, call.n, False, call) for call in calls.values()]
        for found in claimed.receipts:
            receipt = self._receipt(found)
            self.receipts[receipt.call] = receipt
            moments.append((receipt.t, receipt.call, True, receipt))
        for _, number, came_back, event in sorted(moments, key=lambda moment: moment[:3]):
            call = calls[number]
            if call.kind == "write" and not came_back:
                self.operation.sent(call)
            elif call.kind == "write":
                self.operation.received(event, self.contract)
            elif came_back:
                self._read(call, event)

    def _read(self, call: Call, receipt: Receipt) -> None:
        for reveal in receipt.reveals:
            if about(reveal, self.operation):
                told = reveal if receipt.outcome is Outcome.APPLIED else None
                self.operation.read(call, told, self.contract, receipt)

    def _call(self, row: CallRow, args: Mapping[str, Any], left_ns: int | None) -> Call:
        """A request without a receipt (`left_ns` None) may have left until its lease ended, if its sender was held up:
        where a settle time is what counts, it is taken to have left then; one with a receipt, when that says."""
        settles = self.contract.settle_s is not None and self.contract.key is None
        lost = left_ns is None and row.lease_n != self.row.lease_n
        latest_ns = row.lease_until_ns if lost else max(row.t_ns, left_ns or 0)
        at_ns = latest_ns if row.kind == "write" and settles else row.t_ns
        identity = self.row.identity if row.kind == "write" else ""
        given = unconditional(args) if row.kind == "write" else {"reference": row.reference or row.key}
        return Call(
            row.n,
            at_ns - self.row.began_ns,
            row.tool,
            row.kind,  # type: ignore[arg-type]  # a ToolKind, as it was written
            given,
            identity,
            row.key if row.kind == "write" else None,
            row.reference if row.kind == "write" else None,
            row.if_match,
            row.scope,
        )

    def _receipt(self, row: ReceiptRow) -> Receipt:
        reveals = tuple(map(reveal_in, row.reveals))
        at = row.t_ns - self.row.began_ns
        outcome = Outcome(row.outcome)
        return Receipt(row.n, at, outcome, row.status, row.body, row.headers, row.error, reveals)

    @property
    def same_parameters(self) -> bool:
        return digest(self.given) == self.row.digest

    @property
    def correctable(self) -> bool:
        """Nothing was sent, or all of it was refused: other parameters may be sent under new handles."""
        return self.knowledge in (None, Outcome.NOT_APPLIED)

    @property
    def resumable(self) -> bool:
        """With a fresh budget there would be something left to do."""
        surfaces = frozenset(move for move in (Move.QUERY, Move.STATUS, Move.FENCE) if self.tool_for(move) is not None)
        left = Left.of(UNLIMITED, 0, self.now_ns)
        return bool(entitled(self.operation, self.contract, left, surfaces).productive)

    @property
    def not_before_ns(self) -> int | None:
        """The moment (since the epoch) before which the server asked not to be called again; None: it did not."""
        wait_ns = self.retry_after_ns
        return self.times.now_ns() + wait_ns if wait_ns > 0 else None

    def call_row(self, call: Call, asked_by: tuple[str | None, str | None]) -> CallRow:
        """The row of a request about to leave. `asked_by`: the key and reference that a question is about."""
        now_ns = self.times.now_ns()
        key, reference = (call.key, call.reference) if call.kind == "write" else asked_by
        self.calls[call.n] = row = CallRow(
            self.row.id,
            call.n,
            self.row.began_ns + call.t,
            call.tool,
            call.kind,
            digest(self.given if call.kind == "write" else call.args),
            key,
            reference,
            call.if_match,
            call.scope,
            self.row.lease_n,
            now_ns + self._lease_ns,
        )
        return row

    def departed(self, call: Call) -> None:
        """Take a write to have left when its function was entered."""
        if self.departure is not None and self.departure.left_ns is not None:
            self._late[call.n] = at_ns = self.departure.left_ns
            at = call._replace(t=at_ns - self.row.began_ns)
            self.operation.calls = [at if item.n == call.n else item for item in self.operation.calls]
        self.departure = None

    def cut_short(self, call: Call, error: str) -> ReceiptRow:
        """The row of a call whose caller did not wait for it: what it had not sent by now, it never will."""
        outcome = Outcome.UNKNOWN
        if self.departure is not None:
            outcome = Outcome.NOT_APPLIED if self.departure.left_ns is None else Outcome.UNKNOWN
            self._late[call.n] = self.times.now_ns()
        return self.receipt_row(Receipt(call.n, self.now_ns, outcome, error=error), None)

    def leaves_to_thread(self, action: Callable[[], None]) -> bool:
        """Whether a thread still runs what was under way, and does this at its end."""
        return self.departure is not None and self.departure.give_up(action)

    def receipt_row(self, receipt: Receipt, reveal: Reveal | None) -> ReceiptRow:
        """The row of what came back. `reveal`: what a question asked, and what its answer tells."""
        self.receipts[receipt.call] = receipt
        late_ns = self._late.get(receipt.call)
        left = {} if late_ns is None else {LEFT: str(late_ns)}
        return ReceiptRow(
            self.row.id,
            receipt.call,
            self.row.began_ns + receipt.t,
            receipt.outcome.value,
            receipt.status,
            receipt.error,
            {**receipt.headers, **left},
            receipt.body,
            [] if reveal is None else [list(reveal)],
        )

    def value(self) -> Any:
        """What the receipt that proved the operation holds; None where nothing is proved."""
        number = self.operation.applied
        if not number:
            return None
        if number in self.bodies:
            return self.bodies[number]
        receipt = self.receipts.get(number)
        return None if receipt is None else self.spec.value(receipt.body, self.operation.handles)

    def record(self) -> HandOver:
        record = super().record()
        return record._replace(first_sent_ns=record.first_sent_ns + self.row.began_ns, digest=digest(self.given))


def reveal_in(fields: list[Any]) -> Reveal:
    """A Reveal that came back from JSON."""
    return Reveal._make(tuple(item) if isinstance(item, list) else item for item in fields)
