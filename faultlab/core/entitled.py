"""What may be done next about one operation, and what is worth doing: one pure function for rules, oracle and client.

It uses only promises that the caller can read; a window, scope or settle time that is not stated counts as
unknown. Sources: RFC 9110 sections 9.2.2 and 13.1.1; Idempotency-Key draft-07 section 2.5.1.
"""

from enum import StrEnum
from typing import NamedTuple

from faultlab.core.agent import CALL_COST, HAND_OVER_COST, Budget
from faultlab.core.canonical import canonical
from faultlab.core.clock import NS, ns
from faultlab.core.contract import Contract, KeyRules
from faultlab.core.knowledge import Operation, Read, is_replay
from faultlab.core.records import Call, Outcome, Receipt, Status

PASSING_REFUSALS = frozenset({401, 409, 412, 421, 425, 428, 429})
"""Refusals that may pass: the same request can succeed later, or with what was missing."""

AUTHORITY_REFUSALS = frozenset({403})


class Move(StrEnum):
    """The moves of the table in SEMANTICS."""

    SEND_SAME_KEY = "send with the same key"
    SEND_UNKEYED = "send without a valid key"
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


def entitled(operation: Operation | None, contract: Contract, left: Left, surfaces: frozenset[Move]) -> Entitlement:
    """`surfaces`: which of QUERY, STATUS and FENCE the tools offer for this operation."""
    knowledge = None if operation is None else operation.knowledge
    if operation is None or knowledge is None:
        productive = frozenset({Move.SEND_SAME_KEY}) if left.affords() else frozenset[Move]()
        permitted = frozenset({Move.SEND_SAME_KEY, Move.SEND_UNKEYED}) | surfaces
        return Entitlement(permitted, productive, _stops_unsent(productive))
    if knowledge is Outcome.APPLIED:
        return Entitlement(surfaces - {Move.FENCE}, frozenset(), frozenset({"done"}))
    if knowledge is Outcome.NOT_APPLIED:
        return _not_applied(operation, contract, left, surfaces)
    permitted_moves: set[Move] = set(surfaces)
    productive_moves: set[Move] = set()
    if protected(operation, contract, left.now_ns):
        permitted_moves.add(Move.SEND_SAME_KEY)
        if not saved_failure(operation, contract) and left.affords(retry_after_ns(operation.last_receipt, left.now_ns)):
            productive_moves.add(Move.SEND_SAME_KEY)
    elif expired_but_rejected(operation, contract, left.now_ns):
        permitted_moves.add(Move.SEND_SAME_KEY)
    for move in surfaces:
        if surface_productive(operation, move, contract, left):
            productive_moves.add(move)
    stops: frozenset[Status] = frozenset() if productive_moves else frozenset({"handed_over"})
    return Entitlement(frozenset(permitted_moves), frozenset(productive_moves), stops)


def _stops_unsent(productive: frozenset[Move]) -> frozenset[Status]:
    return frozenset() if productive else frozenset({"not_done", "handed_over"})


def _not_applied(operation: Operation, contract: Contract, left: Left, surfaces: frozenset[Move]) -> Entitlement:
    """Known not to have happened: by a refusal, or by conclusive evidence."""
    permitted = set(surfaces)
    final = refused_for_good(operation, contract)
    denied = final is not None and final.status in AUTHORITY_REFUSALS
    productive = frozenset[Move]()
    if final is None:
        permitted |= {Move.SEND_SAME_KEY, Move.SEND_UNKEYED}
        if left.affords(retry_after_ns(operation.last_receipt, left.now_ns)):
            productive = frozenset({Move.SEND_SAME_KEY})
    stops: set[Status] = set()
    if not productive:
        stops |= {"not_done", "handed_over"}
    if denied:
        stops.add("refused")
    return Entitlement(frozenset(permitted), productive, frozenset(stops))


def refused_for_good(operation: Operation, contract: Contract) -> Receipt | None:
    """The refusal that a repeated request would meet again; for want of authority it holds for any request."""
    refusal = operation.refusal
    if refusal is None or refusal.status in AUTHORITY_REFUSALS:
        return refusal
    status = refusal.status
    passing = status is None or status in PASSING_REFUSALS or status in contract.rejects_before_effect
    return None if passing or operation.settled_by > refusal.call else refusal


def key_in_use(operation: Operation) -> str | None:
    """The key that every call bears which may still have an effect; None where they share none."""
    keys = {call.key for call in operation.calls if call.n in operation.open}
    return keys.pop() if len(keys) == 1 else None


def key_age_ns(operation: Operation, key: str, now_ns: int) -> int:
    """Since the first own send under the key, refused or not: the server may have remembered it."""
    return now_ns - next(call.t for call in operation.calls if call.key == key)


def protected(operation: Operation, contract: Contract, now_ns: int) -> bool:
    """A resend under the same key, with the same parameters, can have no second effect now."""
    rules = contract.key
    if rules is None or rules.window_s is None or (key := key_in_use(operation)) is None:
        return False
    return key_age_ns(operation, key, now_ns) < ns(rules.window_s)


def expired_but_rejected(operation: Operation, contract: Contract, now_ns: int) -> bool:
    """The key is too old, and the contract says that old keys are refused: a resend is harmless and useless."""
    rules = contract.key
    if rules is None or rules.window_s is None or rules.on_expired != "reject":
        return False
    key = key_in_use(operation)
    return key is not None and key_age_ns(operation, key, now_ns) >= ns(rules.window_s)


def saved_failure(operation: Operation, contract: Contract) -> bool:
    """The server keeps a 5xx under the key: sending again gives the same 5xx and settles nothing."""
    rules, last = contract.key, operation.last_receipt
    return (
        rules is not None
        and rules.save_5xx
        and last is not None
        and last.status is not None
        and last.status >= 500
        and (is_replay(last, contract) or last.status == 500)
    )


def surface_productive(operation: Operation, move: Move, contract: Contract, left: Left) -> bool:
    """Whether asking there can still tell something about an operation of unknown outcome."""
    kind = {Move.QUERY: "read", Move.STATUS: "status", Move.FENCE: "fence"}[move]
    asked = [read for read in operation.reads if read.kind == kind and read.started_ns >= operation.last_unknown_ns]
    if worn_out([read for read in asked if read.reveal is None]):
        return False
    wait_ns = query_wait_ns(operation, asked, contract, left.now_ns) if move is Move.QUERY else 0
    if wait_ns is None or not left.affords(wait_ns):
        return False
    if move is Move.QUERY:
        return True
    if not (contract.status if move is Move.STATUS else contract.fence == "durable"):
        return False
    answered = {read.reveal.handle for read in asked if read.reveal is not None and read.reveal.definitive}
    bearing = [{call.key, call.reference} - {None} for call in operation.calls if call.n in operation.open]
    return any(handles and not handles & answered for handles in bearing)


def query_wait_ns(operation: Operation, asked: list[Read], contract: Contract, now_ns: int) -> int | None:
    """How long until the next read can tell something new; None: no further read can."""
    complete = [read.started_ns for read in asked if read.reveal is not None]
    if not complete:
        return 0
    if contract.settle_s is not None and contract.consistent_reads:
        return max(0, operation.calls[-1].t + ns(contract.settle_s + contract.read_lag_s) - now_ns)
    again = complete[0] + ns(contract.poll_s)
    if any(started >= again for started in complete[1:]):
        return None
    return max(0, again - now_ns)


def worn_out(failures: list[Read]) -> bool:
    """Three failures in a row with growing waits between them: the surface is not worth another call."""
    times = [read.started_ns for read in failures]
    return any(
        third - second > second - first for first, second, third in zip(times, times[1:], times[2:], strict=False)
    )


def retry_after_ns(receipt: Receipt | None, now_ns: int) -> int:
    """How long the last answer still asks to wait; 0 where it states nothing that can be read."""
    if receipt is None or "retry-after" not in receipt.headers:
        return 0
    seconds = seconds_of(receipt.headers["retry-after"])
    return max(0, receipt.t + ns(seconds) - now_ns)


def seconds_of(retry_after: str) -> float:
    """Retry-After in its delay-seconds form (RFC 9110 section 10.2.3); anything else asks for nothing."""
    text = retry_after.strip()
    return float(text) if text.isascii() and text.isdigit() else 0.0


class Charge(NamedTuple):
    """Why a send was not permitted: the rule that it breaks ('' where only its effect would)."""

    code: str
    why: str


def charge_send(operation: Operation, call: Call, contract: Contract) -> Charge | None:
    """Judge one send against what was known of its operation just before; None: it was permitted.

    Exactly one code, the first of FL304, FL303, FL301, FL302, FL202, FL201 that applies.
    """
    knowledge = operation.knowledge
    if knowledge is None:
        return None
    if knowledge is Outcome.NOT_APPLIED:
        return _charge_refused(operation, call, contract)
    rules = contract.key
    keys = {item.key for item in operation.calls if item.n in operation.open}
    if rules is not None and call.key is not None:
        if call.key in keys and (charge := _charge_same_key(operation, call, rules)) is not None:
            return charge
        if keys - {call.key, None}:
            return Charge("FL301", f"{call.key!r} is a second key for {operation.label}")
        if knowledge is Outcome.UNKNOWN and keys == {call.key}:
            return None
    if knowledge is Outcome.APPLIED:
        return Charge("", f"{operation.label} was known to be applied")
    since = [read for read in operation.reads if read.started_ns >= operation.last_unknown_ns]
    if any(read.reveal is not None for read in since):
        return Charge("FL202", "no read since then was conclusive")
    return Charge("FL201", "no query in between" if not since else "the query was not answered")


def _charge_refused(operation: Operation, call: Call, contract: Contract) -> Charge | None:
    """A refusal that does not pass forbids the same request again; one for want of authority, any request."""
    refusal = refused_for_good(operation, contract)
    if refusal is None:
        return None
    refused = next(item for item in operation.calls if item.n == refusal.call)
    if refusal.status not in AUTHORITY_REFUSALS and not same_parameters(refused, call):
        return None
    return Charge("", f"{operation.label} was refused with {refusal.status}")


def _charge_same_key(operation: Operation, call: Call, rules: KeyRules) -> Charge | None:
    """Compared with the first call under the key that was not refused: of a refused one nothing is kept."""
    assert call.key is not None
    first = next(item for item in operation.calls if item.key == call.key and item.n in operation.open)
    age_ns = key_age_ns(operation, call.key, call.t)
    if rules.window_s is None or (age_ns >= ns(rules.window_s) and rules.on_expired == "execute"):
        stated = "no window is stated"
        if rules.window_s is not None:
            stated = f"the window of {rules.window_s:g} s is over"
        return Charge("FL304", f"{stated}; the key was first sent at {(call.t - age_ns) / NS:.2f} s")
    if call.scope != first.scope:
        return Charge("FL303", f"scope {call.scope!r} instead of {first.scope!r}")
    if not same_parameters(first, call):
        return Charge("FL302", "the same key with other parameters")
    return None


def same_parameters(one: Call, other: Call) -> bool:
    """Equal as a server compares them: as JSON values (1 == 1.0, but not true), with their condition."""
    return one.if_match == other.if_match and canonical(one.args) == canonical(other.args)
