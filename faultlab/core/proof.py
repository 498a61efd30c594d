"""What one answer of a query proves: the own effect, its absence for good, or that no copy can apply any more.

Sources: RFC 9111 section 5.1 (a list with an Age above 0 is no news), RFC 9110 section 13.1.1 (a condition on a
version that is gone cannot be met again), Amazon Builders' Library, late requests.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from faultlab.core.clock import ns
from faultlab.core.contract import Contract
from faultlab.core.records import Call, Reveal, Sight
from faultlab.core.versions import version_of


def conclusive_absence(reveal: Reveal, started_ns: int, calls: Iterable[Call], contract: Contract) -> bool:
    """A definitive answer, or a fresh whole list that began after everything sent must have settled."""
    if reveal.definitive:
        return True
    if contract.settle_s is None or not contract.consistent_reads or not reveal.fresh:
        return False
    wait_ns = ns(contract.settle_s + contract.read_lag_s)
    return all(started_ns >= call.t + wait_ns for call in calls)


def shows_own(handles: AbstractSet[str], reveal: Reveal) -> bool:
    """An effect under one's own key or reference."""
    return any(handle in handles for handle in reveal.shown if handle is not None)


def shows_only_others(reveal: Reveal) -> bool:
    """A list on which every effect bears a handle, none of them one's own: one's own is absent."""
    return reveal.answer == "present" and reveal.handle is None and None not in reveal.shown


def overtaken(call: Call, moved: int | None, handles: AbstractSet[str], reveal: Reveal) -> bool:
    """A fresh answer shows a later version than the call named, and whose change each step since was, none of them
    one's own: no copy of the call can apply any more, and none did."""
    if moved is None or moved <= 0 or not reveal.fresh or len(reveal.shown) < moved:
        return False
    return not shows_own(handles, reveal) and (None not in reveal.shown or call.reference is not None)


def steps(versioned: tuple[str, str] | None, call: Call, sights: Sequence[Sight]) -> int | None:
    """By how many versions the thing has moved on since the one that the call named; None: that is not shown."""
    named = None if call.if_match is None else version_of(call.if_match)
    if versioned is None or named is None:
        return None
    table, argument = versioned
    thing = f"{table}/{call.args.get(argument)}"
    seen = [item.version for item in sights if item.object == thing and item.fresh and item.version is not None]
    return max(seen) - named if seen else None
