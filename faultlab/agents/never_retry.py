"""Stops at the first failure and says that nothing was done."""

from typing import Any

from faultlab.agents.clerk import Clerk
from faultlab.client.execute import drive
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Invoke, Steps, Stop
from faultlab.core.records import Claim, Outcome


def never_retry(task: Any, env: Any) -> Claim:
    """Takes every failure for "it did not happen"."""
    clerk = Clerk(task, env)
    for recovery in clerk.recoveries():
        stop = drive(recovery, _once(recovery))
        clerk.ended(recovery, stop)
        if stop.status != "done":
            break
    return clerk.claim()


def _once(recovery: Recovery) -> Steps:
    yield Invoke(recovery.intent.tool, recovery.intent.args, recovery.key, recovery.reference)
    receipt = recovery.operation.last_receipt
    done = receipt is not None and receipt.outcome is Outcome.APPLIED
    return Stop("done", recovery.supporting()) if done else Stop("not_done")
