"""Stops at the first failure and says that nothing was done."""

from typing import Any

from faultlab.agents.one_send import run_until_failure
from faultlab.client.execute import recover
from faultlab.client.moves import stop
from faultlab.client.policy import TABLE, changed
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Stop
from faultlab.core.records import Claim


def never_retry(task: Any, env: Any) -> Claim:
    """Takes every failure for "it did not happen". A promise is none: it is followed, but nothing is sent again."""
    return run_until_failure(task, env, _not_done, unread="not_done", promised=lambda it: recover(it, NO_RESEND))


def _not_done(recovery: Recovery) -> Stop:
    return Stop("not_done")


NO_RESEND = changed(changed(TABLE, "not_applied", move=stop("not_done")), "told_to_wait", move=stop("not_done"))
