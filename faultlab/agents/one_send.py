"""What two wrong agents share: each operation is sent once, and the first that does not go well ends the attempt."""

from collections.abc import Callable
from typing import Any

from faultlab.agents.clerk import Clerk
from faultlab.client.execute import drive
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Invoke, Steps, Stop
from faultlab.core.records import Claim, Outcome

EndOf = Callable[[Recovery], Stop]
"""What to say of an operation whose receipt was not a success."""


def send_once(recovery: Recovery, otherwise: EndOf) -> Steps:
    """A crash is a failure too: what the journal says was sent is not sent again."""
    if recovery.operation.open:
        return otherwise(recovery)
    yield Invoke(recovery.intent.tool, recovery.intent.args, recovery.key, recovery.reference)
    receipt = recovery.operation.last_receipt
    if receipt is not None and receipt.outcome is Outcome.APPLIED:
        return Stop("done", recovery.supporting())
    return otherwise(recovery)


def run_until_failure(task: Any, env: Any, otherwise: EndOf) -> Claim:
    """Every operation of the task, up to the first that is not done."""
    clerk = Clerk(task, env)
    for recovery in clerk.recoveries():
        stop = drive(recovery, send_once(recovery, otherwise))
        clerk.ended(recovery, stop)
        if stop.status != "done":
            break
    return clerk.claim()
