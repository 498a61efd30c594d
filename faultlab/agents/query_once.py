"""Keeps its key and looks once before each resend, and takes everything but "found" for absence."""

from typing import Any

from faultlab.agents.resenders import run_all
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Invoke, Steps, Stop
from faultlab.core.entitled import Move
from faultlab.core.records import Claim


def query_once(task: Any, env: Any) -> Claim:
    """Asks operation_status where it is offered, else the list."""
    return run_all(task, env, lambda recovery, number: recovery.key, _look)


def _look(recovery: Recovery) -> Steps:
    if (status := recovery.tool_for(Move.STATUS)) is not None:
        yield Invoke(status, {"reference": recovery.key or recovery.reference})
    elif (query := recovery.tool_for(Move.QUERY)) is not None:
        yield Invoke(query, recovery.query_args())
    return Stop("done", recovery.supporting()) if recovery.operation.applied else None
