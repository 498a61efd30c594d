"""Always resends with one key, derived from tool and arguments, whether or not keys are honoured."""

from typing import Any

from faultlab.agents.resenders import run_all
from faultlab.client.recovery import Recovery
from faultlab.core.canonical import digest
from faultlab.core.records import Claim


def same_key(task: Any, env: Any) -> Claim:
    """Right where keys are honoured; wrong where they are not, and where two equal orders are wanted."""

    def key_of(recovery: Recovery, number: int) -> str | None:
        if recovery.taken_up:
            return recovery.key
        same = digest([recovery.intent.tool, recovery.intent.args])
        return f"{task.id}-{same}" if recovery.takes_key else None

    return run_all(task, env, key_of)
