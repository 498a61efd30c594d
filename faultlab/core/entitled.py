"""What may be done next about one operation, and what is worth doing: one pure function for rules, oracle and client.

It uses only promises that the caller can read; a window, scope or settle time that is not stated counts as
unknown. Sources: RFC 9110 sections 9.2.2 and 13.1.1; Idempotency-Key draft-07 section 2.5.1.
"""

from enum import StrEnum
from typing import NamedTuple

from faultlab.core.agent import CALL_COST, HAND_OVER_COST, Budget
from faultlab.core.clock import ns
from faultlab.core.contract import Contract
from faultlab.core.operation import Operation, Read
from faultlab.core.protection import (
    condition_failed,
    condition_in_use,
    expired_but_rejected,
    harmless_again,
    only_promised,
    open_calls,
    protected,
    saved_failure,
)
from faultlab.core.records import Outcome, Status
from faultlab.core.refused import advice, standing_refusal
from faultlab.core.waits import retry_after_ns


class Move(StrEnum):
    """The moves that a caller has."""

    SEND_SAME_KEY = "send with the same key"
    SEND_UNKEYED = "send without a valid key"
    REPEAT = "repeat the same conditional write"
    QUERY = "query"
    STATUS = "status query"
    FENCE = "fence"


class Left(NamedTuple):
    """What is left of a budget at `now_ns`."""

    calls: float
    cost: float
    now_ns: int
    deadline_ns: int

    @staticmethod
    def of(budget: Budget, calls: int, now_ns: int) -> "Left":
        return Left(budget.calls - calls, budget.cost - calls * CALL_COST, now_ns, ns(budget.seconds))

    def affords(self, wait_ns: int = 0) -> bool:
        """One more call, begun after `wait_ns`, that still leaves what a hand-over costs."""
        return self.calls >= 1 and self.cost - CALL_COST >= HAND_OVER_COST and self.now_ns + wait_ns < self.deadline_ns


class Entitlement(NamedTuple):
    """The permitted moves, those of them that are productive, and the claims that may be made now."""

    permitted: frozenset[Move]
    productive: frozenset[Move]
    stops: frozenset[Status]


SENDS = frozenset({Move.SEND_SAME_KEY, Move.SEND_UNKEYED, Move.REPEAT})
NOTHING: frozenset[Move] = frozenset()


def entitled(operation: Operation | None, contract: Contract, left: Left, surfaces: frozenset[Move]) -> Entitlement:
    """`surfaces`: which of QUERY, STATUS and FENCE the tools offer for this operation."""
    knowledge = None if operation is None else operation.knowledge
    if operation is None or knowledge is None:
        productive = frozenset({Move.SEND_SAME_KEY}) if left.affords() else NOTHING
        return Entitlement(SENDS | surfaces, productive, _stops(productive))
    if knowledge is Outcome.APPLIED:
        return Entitlement(surfaces - {Move.FENCE}, NOTHING, frozenset({"done"}))
    if knowledge is Outcome.NOT_APPLIED:
        return _not_applied(operation, contract, left, surfaces)
    permitted, useful = sends_again(operation, contract, left)
    productive = useful | {move for move in surfaces if surface_productive(operation, move, contract, left)}
    return Entitlement(permitted | surfaces, productive, NO_STOP if productive else frozenset({"handed_over"}))


NO_STOP: frozenset[Status] = frozenset()


def _stops(productive: frozenset[Move]) -> frozenset[Status]:
    """Of an operation that was not applied, or not sent."""
    return NO_STOP if productive else frozenset({"not_done", "handed_over"})


def _not_applied(operation: Operation, contract: Contract, left: Left, surfaces: frozenset[Move]) -> Entitlement:
    """Known not to have happened: by a refusal, or by conclusive evidence."""
    refusal = standing_refusal(operation, contract)
    kind = None if refusal is None else refusal.kind
    if kind == "authority":
        return Entitlement(surfaces, NOTHING, _stops(NOTHING) | {"refused"})
    if kind == "final":
        return Entitlement(surfaces, NOTHING, _stops(NOTHING))
    if kind == "stale":
        # Whether to write at all is to be decided again, on the version that there is now: read it first.
        reads = frozenset({Move.QUERY}) if Move.QUERY in surfaces and unread(operation, left) else NOTHING
        return Entitlement(SENDS | surfaces, reads, _stops(reads))
    waited = left.affords(retry_after_ns(operation.last_receipt, left.now_ns))
    may_send = waited and (kind != "bare" or Move.QUERY in surfaces)
    productive = frozenset({Move.SEND_SAME_KEY}) if may_send else NOTHING
    return Entitlement(SENDS | surfaces, productive, _stops(productive))


def unread(operation: Operation, left: Left) -> bool:
    """Nothing has been read since the last answer, a read can be afforded, and the surface still answers."""
    assert operation.last_receipt is not None
    if operation.looked_ns >= operation.last_receipt.t:
        return False
    since = [read for read in operation.reads if read.kind == "read" and read.started_ns >= operation.last_receipt.t]
    failed = [read for read in since if read.reveal is None]
    return len(failed) == len(since) and not worn_out(failed) and left.affords(_asked_to_wait_ns(since, left.now_ns))


def sends_again(operation: Operation, contract: Contract, left: Left) -> tuple[frozenset[Move], frozenset[Move]]:
    """The ways to send an operation of unknown outcome once more: those permitted, and those of them that can end
    in an answer that settles it."""
    permitted, useful = set[Move](), set[Move]()
    condition = condition_in_use(operation, contract)
    failed = condition is not None and condition_failed(operation, condition)
    if protected(operation, contract, left.now_ns):
        permitted.add(Move.SEND_SAME_KEY)
        if not failed and not saved_failure(operation, contract):
            useful.add(Move.SEND_SAME_KEY)
    elif expired_but_rejected(operation, contract, left.now_ns):
        permitted.add(Move.SEND_SAME_KEY)
    if condition is not None:
        permitted.add(Move.REPEAT)
        if not failed:
            useful.add(Move.REPEAT)
    if harmless_again(operation, contract):
        permitted |= {Move.SEND_SAME_KEY, Move.SEND_UNKEYED}
        useful |= {Move.SEND_SAME_KEY, Move.SEND_UNKEYED}
    if useful and not worth_sending(operation, contract, left):
        useful.clear()
    return frozenset(permitted), frozenset(useful)


def worth_sending(operation: Operation, contract: Contract, left: Left) -> bool:
    """The last answers do not speak against it, and the wait that they ask for can be afforded."""
    return (
        not only_promised(operation)
        and advice(operation.last_receipt, contract) is not False
        and left.affords(retry_after_ns(operation.last_receipt, left.now_ns))
    )


def surface_productive(operation: Operation, move: Move, contract: Contract, left: Left) -> bool:
    """Whether asking there can still tell something about an operation of unknown outcome."""
    kind = {Move.QUERY: "read", Move.STATUS: "status", Move.FENCE: "fence"}[move]
    asked = [read for read in operation.asked_since if read.kind == kind]
    if worn_out([read for read in asked if read.reveal is None]):
        return False
    wait_ns = query_wait_ns(operation, asked, contract, left.now_ns) if move is Move.QUERY else 0
    if wait_ns is None or not left.affords(max(wait_ns, _asked_to_wait_ns(asked, left.now_ns))):
        return False
    if move is Move.QUERY:
        return True
    if not (contract.status if move is Move.STATUS else contract.fence == "durable"):
        return False
    answered = {read.reveal.handle for read in asked if read.reveal is not None and read.reveal.definitive}
    bearing = [{call.key, call.reference} - {None} for call in open_calls(operation)]
    return any(handles and not handles & answered for handles in bearing)


def query_wait_ns(operation: Operation, asked: list[Read], contract: Contract, now_ns: int) -> int | None:
    """How long until the next read can tell something new; None: no further read can."""
    complete = [read.started_ns for read in asked if read.reveal is not None]
    if not complete:
        return 0
    if contract.settle_s is not None and contract.consistent_reads:
        return max(0, operation.calls[-1].t + ns(contract.settle_s + contract.read_lag_s) - now_ns)
    again = complete[0] + ns(poll_s(operation, contract))
    if any(started >= again for started in complete[1:]):
        return None
    return max(0, again - now_ns)


def poll_s(operation: Operation, contract: Contract) -> float:
    """How far apart two looks at it must be to count as two: what the tool says, else the contract."""
    return operation.terms.poll_s or contract.poll_s


def _asked_to_wait_ns(asked: list[Read], now_ns: int) -> int:
    """How long the surface's last answer still asks to be left alone."""
    return max(0, asked[-1].not_before_ns - now_ns) if asked else 0


def worn_out(failures: list[Read]) -> bool:
    """Three failures in a row with growing waits between them: the surface is not worth another call."""
    times = [read.started_ns for read in failures]
    return any(
        third - second > second - first for first, second, third in zip(times, times[1:], times[2:], strict=False)
    )
