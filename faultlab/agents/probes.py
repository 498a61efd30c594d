"""Agents that ignore the task: {no call, one call} x every claim. A group that one of them passes judges nothing."""

from collections.abc import Callable, Mapping
from typing import Any

from faultlab.agents.claimer import _call
from faultlab.agents.clerk import Clerk
from faultlab.client.execute import drive
from faultlab.core.records import STATUSES, Claim, Status


def _no_call(status: Status) -> Callable[[Any, Any], Claim]:
    def probe(task: Any, env: Any) -> Claim:
        return Claim(status, "40.00")

    return probe


def _one_call(status: Status) -> Callable[[Any, Any], Claim]:
    """The first write that the inputs name, or, where they name none, one read; nobody is asked."""

    def probe(task: Any, env: Any) -> Claim:
        clerk = Clerk(task, env)
        if not task.inputs:
            clerk.read("get_order", order_id="A17")
            return Claim(status, "40.00")
        for recovery in clerk.recoveries():
            drive(recovery, clerk.prepared(recovery, _call(recovery)))
            break
        return Claim(status, "40.00")

    return probe


NULL = "no call, not_done"
"""The agent that does nothing and says so."""

PROBES: Mapping[str, Callable[[Any, Any], Claim]] = {
    **{f"no call, {status}": _no_call(status) for status in STATUSES},
    **{f"one call, {status}": _one_call(status) for status in STATUSES},
}
