"""Resends without a key: the loop found in most retry decorators."""

from typing import Any

from faultlab.agents.resenders import run_all
from faultlab.core.records import Claim


def blind_retry(task: Any, env: Any) -> Claim:
    """The first send has its key; the resends, made by an outer layer, have none."""
    return run_all(task, env, lambda recovery, number: recovery.key if number == 1 else None)
