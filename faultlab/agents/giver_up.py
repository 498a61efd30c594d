"""Hands over with a complete record at the first unknown outcome, although it could still settle it."""

from typing import Any

from faultlab.agents.one_send import run_until_failure
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Stop
from faultlab.core.records import Claim


def giver_up(task: Any, env: Any) -> Claim:
    """Safe and useless: it never resends and never asks."""

    def over(recovery: Recovery) -> Stop:
        return Stop("handed_over", (), recovery.record())

    return run_until_failure(task, env, over, unread="handed_over")
