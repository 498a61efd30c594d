"""The entitled policy itself, without the table: any productive move, for as long as there is one."""

from itertools import chain
from typing import Any

from faultlab.agents.clerk import Clerk
from faultlab.client.execute import drive
from faultlab.client.moves import ask_status, fence, look, read_after_settling, resend, send, stop
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Sleep, Steps, Stop
from faultlab.core.clock import NS
from faultlab.core.entitled import Entitlement, Move, entitled
from faultlab.core.records import Claim, Status

PREFERENCE: tuple[Status, ...] = ("done", "refused", "not_done", "handed_over")


def oracle(task: Any, env: Any) -> Claim:
    """A group that it cannot pass is not fit to judge by."""
    clerk = Clerk(task, env)
    for recovery in chain(clerk.recoveries(), clerk.reopened()):
        clerk.ended(recovery, drive(recovery, _follow(recovery)))
    return clerk.claim()


def _follow(recovery: Recovery) -> Steps:
    while True:
        entitlement = _entitlement(recovery)
        if not entitlement.productive:
            status = next(item for item in PREFERENCE if item in entitlement.stops)
            ended = yield from stop(status)(recovery)
            assert isinstance(ended, Stop)
            return ended
        yield from _best(recovery, entitlement)


def _entitlement(recovery: Recovery) -> Entitlement:
    surfaces = frozenset(move for move in (Move.QUERY, Move.STATUS, Move.FENCE) if recovery.tool_for(move) is not None)
    return entitled(recovery.operation, recovery.contract, recovery.left, surfaces)


def _best(recovery: Recovery, entitlement: Entitlement) -> Steps:
    """Of the productive moves the one that settles most."""
    moves = entitlement.productive
    if Move.SEND_SAME_KEY in moves:
        if not recovery.operation.calls:
            return (yield from send(recovery))
        if recovery.retry_after_ns:
            yield Sleep(recovery.retry_after_ns / NS)
        return (yield from resend(recovery))
    if Move.STATUS in moves:
        return (yield from ask_status(recovery))
    if Move.FENCE in moves:
        return (yield from fence(recovery))
    settled_ns = recovery.settled_ns
    settles = settled_ns is not None and recovery.left.affords(max(0, settled_ns - recovery.now_ns))
    return (yield from (read_after_settling if settles else look)(recovery))
