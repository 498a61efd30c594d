"""The moves of the policy table: generators that ask for calls and waits, and end with a Stop or with nothing."""

from collections.abc import Callable, Generator
from typing import Any

from faultlab.client.approvals import look_at
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Invoke, Sleep, Steps, Stop
from faultlab.client.waits import ASK_AGAIN, seconds
from faultlab.core.clock import NS
from faultlab.core.entitled import Move
from faultlab.core.records import Outcome, Receipt, Status

MoveFunction = Callable[[Recovery], Steps]

READS = 3
"""How often a thing is tried to be read before it is written."""


def pause(recovery: Recovery, wait_s: float) -> Generator[Invoke | Sleep, Receipt | None, bool]:
    """Wait, but not past the time budget. Whether one more call can be afforded after it."""
    if wait_s > 0:
        yield Sleep(recovery.within_budget_s(wait_s))
    return recovery.left.affords()


def send(recovery: Recovery) -> Steps:
    """The first send, with key and reference where the tool takes them."""
    if (stop := (yield from look_at(recovery))) is not None:
        return stop
    yield recovery.request()
    return None


def resend(recovery: Recovery) -> Steps:
    """The same request again, after a wait that grows, unless what made it safe ended meanwhile."""
    before = recovery.safe_sends
    affordable = yield from pause(recovery, recovery.back_off_s())
    if affordable and recovery.safe_sends == before:
        if (stop := (yield from look_at(recovery))) is not None:
            return stop
        recovery.renew_handles()
        yield recovery.request()
    return None


def read_and_decide(recovery: Recovery) -> Steps:
    """Read the thing that is to be written, and decide on what is there now; the write names that version."""
    source = recovery.intent.source
    assert source is not None
    for tried in range(READS):
        if tried and not (yield from pause(recovery, seconds(ASK_AGAIN, tried))):
            return None
        receipt = yield Invoke(source.tool, source.args)
        if receipt is not None and receipt.outcome is Outcome.APPLIED:
            args = source.decide(receipt.body)
            if args is None:
                return Stop("not_done", (receipt.call,))
            recovery.decided(args, receipt.body.get("etag"))
            return None
    return Stop("handed_over")


def wait_as_told(recovery: Recovery) -> Steps:
    """Obey Retry-After."""
    yield Sleep(recovery.retry_after_ns / NS)
    return None


def ask_status(recovery: Recovery) -> Steps:
    """Ask for the operation by its handle; not at once again while it runs."""
    return _ask(recovery, Move.STATUS, _by_handle(recovery))


def fence(recovery: Recovery) -> Steps:
    """Bar the operation, or learn that it was too late."""
    return _ask(recovery, Move.FENCE, _by_handle(recovery))


def read_after_settling(recovery: Recovery) -> Steps:
    """Wait until nothing that was sent can still take effect, then read once."""
    assert recovery.settled_ns is not None
    return _ask(recovery, Move.QUERY, recovery.query_args(), recovery.until_s(recovery.settled_ns))


def look(recovery: Recovery) -> Steps:
    """Read; a second look is not taken sooner than poll_s after the first."""
    return _ask(recovery, Move.QUERY, recovery.query_args())


def _ask(recovery: Recovery, move: Move, args: dict[str, Any], wait_s: float = 0.0) -> Steps:
    tool = recovery.tool_for(move)
    assert tool is not None
    if (yield from pause(recovery, max(wait_s, recovery.pause_s(move)))):
        yield Invoke(tool, args)
    return None


def _by_handle(recovery: Recovery) -> dict[str, Any]:
    operation = recovery.operation
    last = operation.calls[-1]
    return {"reference": last.key or last.reference or operation.monitors.get(last.n)}


def stop(status: Status) -> MoveFunction:
    """End with a claim that the receipts bear out."""

    def move(recovery: Recovery) -> Steps:
        record = recovery.record() if status == "handed_over" and recovery.operation.calls else None
        return Stop(status, recovery.supporting(), record)
        yield

    return move


def stop_spent(recovery: Recovery) -> Steps:
    """Nothing more can be afforded: hand over what is open, say of the rest that it was not done."""
    unknown = recovery.knowledge is Outcome.UNKNOWN
    return (yield from stop("handed_over" if unknown else "not_done")(recovery))
