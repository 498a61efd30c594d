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
    read_and_decide,
    resend,
    send,
    stop,
    stop_spent,
    wait_as_told,
)
from faultlab.client.recovery import Recovery
from faultlab.core.entitled import SENDS, Move, unread
from faultlab.core.records import Outcome
from faultlab.core.refused import Kind


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


def _refused(*kinds: Kind) -> Callable[[Recovery], bool]:
    """The last word is a refusal of one of these kinds, which a repeated request would meet again."""
    return lambda recovery: (refusal := recovery.refusal) is not None and refusal.kind in kinds


def _is_protected(recovery: Recovery) -> bool:
    return recovery.protected and recovery.may_send(Move.SEND_SAME_KEY)


def _is_told_to_wait(recovery: Recovery) -> bool:
    """The next move would be a send, and the last answer says when."""
    sends = recovery.knowledge is Outcome.NOT_APPLIED or recovery.may_send(*SENDS)
    return sends and recovery.retry_after_ns > 0


def _is_overtaken(recovery: Recovery) -> bool:
    """Somebody else's version came first, and nobody has looked at it yet."""
    if not _refused("stale")(recovery) or recovery.tool_for(Move.QUERY) is None:
        return False
    return unread(recovery.operation, recovery.left)


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
    Row("forbidden", _refused("authority"), stop("refused")),
    Row("refused_for_good", _refused("final"), stop("not_done")),
    Row("spent", _spent, stop_spent),
    Row("version_undecided", lambda recovery: recovery.undecided, read_and_decide),
    Row("not_sent", lambda recovery: recovery.knowledge is None, send),
    Row("another_version", _is_overtaken, look),
    Row("version_gone", _refused("stale", "bare"), stop("not_done")),
    Row("told_to_wait", _is_told_to_wait, wait_as_told),
    Row("not_applied", lambda recovery: recovery.knowledge is Outcome.NOT_APPLIED, resend),
    Row("protected_by_key", _is_protected, resend),
    Row("protected_by_version", lambda recovery: recovery.may_send(Move.REPEAT), resend),
    Row("harmless_again", lambda recovery: recovery.may_send(Move.SEND_UNKEYED), resend),
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
