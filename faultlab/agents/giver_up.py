"""Hands over with a complete record at the first unknown outcome, although it could still settle it."""

from typing import Any

from faultlab.agents.clerk import Clerk
from faultlab.client.execute import drive
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Invoke, Steps, Stop
from faultlab.core.records import Claim, Outcome


def giver_up(task: Any, env: Any) -> Claim:
    """Safe and useless: it never resends and never asks."""
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
    if receipt is not None and receipt.outcome is Outcome.APPLIED:
        return Stop("done", recovery.supporting())
    return Stop("handed_over", (), recovery.record())
