"""The moves of the policy table: generators that ask for calls and waits, and end with a Stop or with nothing."""

from collections.abc import Callable

from faultlab.client.recovery import Recovery, wait_until_s
from faultlab.client.steps import Invoke, Sleep, Steps, Stop
from faultlab.core.clock import NS, ns
from faultlab.core.entitled import Move
from faultlab.core.records import Outcome, Status

MoveFunction = Callable[[Recovery], Steps]


def send(recovery: Recovery) -> Steps:
    """The first send, with key and reference where the tool takes them."""
    yield Invoke(recovery.intent.tool, recovery.intent.args, recovery.key, recovery.reference)
    return None


def resend(recovery: Recovery) -> Steps:
    """The same request again, after a wait that grows; a reference that a fence barred is replaced."""
    yield Sleep(recovery.back_off_s())
    if recovery.reference in recovery.operation.tombs:
        recovery.generation += 1
    yield Invoke(recovery.intent.tool, recovery.intent.args, recovery.key, recovery.reference)
    return None


def wait_as_told(recovery: Recovery) -> Steps:
    """Obey Retry-After."""
    yield Sleep(recovery.retry_after_ns / NS)
    return None


def ask_status(recovery: Recovery) -> Steps:
    """Ask for the operation by its handle; not at once again while it runs."""
    yield from _by_handle(recovery, Move.STATUS)
    return None


def fence(recovery: Recovery) -> Steps:
    """Bar the operation, or learn that it was too late."""
    yield from _by_handle(recovery, Move.FENCE)
    return None


def _by_handle(recovery: Recovery, move: Move) -> Steps:
    tool, operation = recovery.tool_for(move), recovery.operation
    assert tool is not None
    if operation.reads and operation.reads[-1].kind in ("status", "fence"):
        yield Sleep(wait_until_s(recovery, operation.reads[-1].started_ns + ns(recovery.contract.poll_s)))
    yield Invoke(tool, {"reference": operation.calls[-1].key or operation.calls[-1].reference})
    return None


def read_after_settling(recovery: Recovery) -> Steps:
    """Wait until nothing that was sent can still take effect, then read once."""
    contract = recovery.contract
    assert contract.settle_s is not None
    settled_ns = recovery.operation.calls[-1].t + ns(contract.settle_s + contract.read_lag_s)
    yield Sleep(wait_until_s(recovery, settled_ns))
    yield from _read(recovery)
    return None


def look(recovery: Recovery) -> Steps:
    """Read; a second look is not taken sooner than poll_s after the first."""
    last_ns = recovery.last_look_ns()
    if last_ns >= 0:
        yield Sleep(wait_until_s(recovery, last_ns + ns(recovery.contract.poll_s)))
    elif recovery.operation.reads:
        yield Sleep(2.0 ** len(recovery.operation.reads))
    yield from _read(recovery)
    return None


def _read(recovery: Recovery) -> Steps:
    tool = recovery.tool_for(Move.QUERY)
    assert tool is not None
    yield Invoke(tool, recovery.query_args())
    return None


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
