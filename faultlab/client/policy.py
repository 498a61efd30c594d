"""What to do next, as one table: the first row whose condition holds gives the move.

It takes exactly the moves that `core.entitled` permits and finds productive; a property test compares them.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from faultlab.client.moves import (
    MoveFunction,
    ask_status,
    fence,
    look,
    read_after_settling,
    resend,
    send,
    stop,
    stop_spent,
    wait_as_told,
)
from faultlab.client.recovery import Recovery
from faultlab.core.entitled import AUTHORITY_REFUSALS, Move, refused_for_good, saved_failure
from faultlab.core.records import Outcome


class Row(NamedTuple):
    """One line of the policy."""

    name: str
    when: Callable[[Recovery], bool]
    move: MoveFunction


Policy = tuple[Row, ...]


def _spent(recovery: Recovery) -> bool:
    """No further call can be afforded, or the only one that is left only after a wait beyond the budget."""
    refused = recovery.knowledge is Outcome.NOT_APPLIED
    return not recovery.left.affords(recovery.retry_after_ns if refused else 0)


def _is_protected(recovery: Recovery) -> bool:
    return (
        recovery.protected
        and not saved_failure(recovery.operation, recovery.contract)
        and recovery.left.affords(recovery.retry_after_ns)
    )


def _is_told_to_wait(recovery: Recovery) -> bool:
    """The next move would be a send, and the last answer says when."""
    sends = recovery.knowledge is Outcome.NOT_APPLIED or _is_protected(recovery)
    return sends and recovery.retry_after_ns > 0


def _refusal(recovery: Recovery) -> int | None:
    """The status of a refusal that a repeated request would meet again."""
    if recovery.knowledge is not Outcome.NOT_APPLIED:
        return None
    refusal = refused_for_good(recovery.operation, recovery.contract)
    return None if refusal is None else refusal.status


def _asks(move: Move) -> Callable[[Recovery], bool]:
    return lambda recovery: recovery.knowledge is Outcome.UNKNOWN and recovery.asks(move)


def _settles(recovery: Recovery) -> bool:
    """A list read later on is conclusive, and there is time to wait for it."""
    settled_ns = recovery.settled_ns
    if settled_ns is None or not _asks(Move.QUERY)(recovery):
        return False
    return recovery.left.affords(max(0, settled_ns - recovery.now_ns))


TABLE: Policy = (
    Row("applied", lambda recovery: recovery.knowledge is Outcome.APPLIED, stop("done")),
    Row("forbidden", lambda recovery: _refusal(recovery) in AUTHORITY_REFUSALS, stop("refused")),
    Row("refused_for_good", lambda recovery: _refusal(recovery) is not None, stop("not_done")),
    Row("spent", _spent, stop_spent),
    Row("not_sent", lambda recovery: recovery.knowledge is None, send),
    Row("told_to_wait", _is_told_to_wait, wait_as_told),
    Row("not_applied", lambda recovery: recovery.knowledge is Outcome.NOT_APPLIED, resend),
    Row("protected_by_key", _is_protected, resend),
    Row("status_offered", _asks(Move.STATUS), ask_status),
    Row("fence_offered", _asks(Move.FENCE), fence),
    Row("settle_stated", _settles, read_after_settling),
    Row("worth_a_look", _asks(Move.QUERY), look),
    Row("still_unknown", lambda recovery: True, stop("handed_over")),
)
"""Keys first: a protected resend both settles the matter and does the work."""


def changed(table: Policy, name: str, **changes: Any) -> Policy:
    """The table with one row changed. Raises KeyError for a row that is not there."""
    if name not in {row.name for row in table}:
        raise KeyError(f"the policy has no row {name!r}; it has {', '.join(row.name for row in table)}")
    return tuple(row._replace(**changes) if row.name == name else row for row in table)


def choose(table: Policy, recovery: Recovery) -> Row:
    """The first row that applies."""
    return next(row for row in table if row.when(recovery))
