"""What two wrong agents share: each operation is sent once, and the first that does not go well ends the attempt."""

from collections.abc import Callable
from typing import Any

from faultlab.agents.clerk import Clerk
from faultlab.client.execute import drive
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Steps, Stop
from faultlab.core.operation import in_progress
from faultlab.core.records import Claim, Outcome, Status

EndOf = Callable[[Recovery], Stop]
"""What to say of an operation whose receipt was not a success."""

Follow = Callable[[Recovery], Steps]


def send_once(recovery: Recovery, otherwise: EndOf, promised: Follow | None) -> Steps:
    """A crash is a failure too: what the journal says was sent is not sent again. `promised`: what to do with a 2xx
    that is no result; None: it is a failure."""
    if recovery.operation.open:
        return otherwise(recovery)
    yield recovery.request()
    receipt = recovery.operation.last_receipt
    if receipt is not None and receipt.outcome is Outcome.APPLIED:
        return Stop("done", recovery.supporting())
    if promised is not None and in_progress(receipt):
        return (yield from promised(recovery))
    return otherwise(recovery)


def run_until_failure(
    task: Any, env: Any, otherwise: EndOf, *, unread: Status, promised: Follow | None = None
) -> Claim:
    """Every operation of the task, up to the first that is not done. `unread`: said where a read failed."""
    clerk = Clerk(task, env, tries=1, unread=unread)
    for recovery in clerk.recoveries():
        stop = drive(recovery, clerk.prepared(recovery, send_once(recovery, otherwise, promised)))
        clerk.ended(recovery, stop)
        if stop.status != "done":
            break
    return clerk.claim()
