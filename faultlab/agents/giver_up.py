"""Hands over with a complete record at the first unknown outcome, although it could still settle it."""

from typing import Any

from faultlab.agents.one_send import run_until_failure
from faultlab.client.steps import Stop
from faultlab.core.records import Claim


def giver_up(task: Any, env: Any) -> Claim:
    """Safe and useless: it never resends and never asks."""
    return run_until_failure(task, env, lambda recovery: Stop("handed_over", (), recovery.record()))
