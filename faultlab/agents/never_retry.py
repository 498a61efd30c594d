"""Stops at the first failure and says that nothing was done."""

from typing import Any

from faultlab.agents.one_send import run_until_failure
from faultlab.client.steps import Stop
from faultlab.core.records import Claim


def never_retry(task: Any, env: Any) -> Claim:
    """Takes every failure for "it did not happen"."""
    return run_until_failure(task, env, lambda recovery: Stop("not_done"))
