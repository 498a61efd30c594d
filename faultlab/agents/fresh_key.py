"""Makes a new key for each send: what an SDK does whose method is called again."""

from typing import Any

from faultlab.agents.resenders import run_all
from faultlab.core.records import Claim


def fresh_key(task: Any, env: Any) -> Claim:
    """To the server every send is a new intent."""
    return run_all(task, env, lambda recovery, number: f"{recovery.key}{number}" if recovery.takes_key else None)
