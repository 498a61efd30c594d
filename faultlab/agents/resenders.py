"""The loop that four wrong agents share: send at most three times, whatever happened, then say it was not done."""

from collections.abc import Callable
from typing import Any

from faultlab.agents.clerk import Clerk
from faultlab.client.execute import drive
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Sleep, Steps, Stop
from faultlab.core.operation import in_progress
from faultlab.core.records import Claim, Outcome

WAITS_S = (0.5, 1.0)

KeyOf = Callable[[Recovery, int], str | None]
"""From an operation and the number of the send, from 1, to the key it bears."""


def resend_always(recovery: Recovery, key_of: KeyOf, found: Callable[[Recovery], Steps] | None = None) -> Steps:
    """`found`, where given, looks before each resend and ends the loop with a Stop if it finds the effect."""
    if found is not None and recovery.operation.open and (stop := (yield from found(recovery))) is not None:
        return stop  # it was sent before a crash
    for number in range(1, len(WAITS_S) + 2):
        yield recovery.request()._replace(key=key_of(recovery, number))
        receipt = recovery.operation.last_receipt
        if receipt is not None and (receipt.outcome is Outcome.APPLIED or in_progress(receipt)):
            return Stop("done", (receipt.call,))  # a promise is taken for a success
        if number <= len(WAITS_S):
            yield Sleep(WAITS_S[number - 1])
            if found is not None and (stop := (yield from found(recovery))) is not None:
                return stop
    return Stop("not_done")


def run_all(task: Any, env: Any, key_of: KeyOf, found: Callable[[Recovery], Steps] | None = None) -> Claim:
    """Every operation of the task, one after the other."""
    clerk = Clerk(task, env, unread="not_done")
    for recovery in clerk.recoveries():
        clerk.ended(recovery, drive(recovery, clerk.prepared(recovery, resend_always(recovery, key_of, found))))
    return clerk.claim()
