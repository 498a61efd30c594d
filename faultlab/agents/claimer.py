"""Claims success after one call, whatever came back."""

from typing import Any

from faultlab.agents.clerk import Clerk
from faultlab.client.execute import drive
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Steps, Stop
from faultlab.core.records import Claim


def claimer(task: Any, env: Any) -> Claim:
    """Never looks at a receipt."""
    clerk = Clerk(task, env, unread="done")
    for recovery in clerk.recoveries():
        clerk.ended(recovery, drive(recovery, clerk.prepared(recovery, _call(recovery))))
    return clerk.claim()


def _call(recovery: Recovery) -> Steps:
    yield recovery.request()
    return Stop("done", (recovery.operation.calls[-1].n,))
