"""The status query and the fence, as ordinary tools over the server's own rows.

A handle is a key or a reference. Three answers of a status query by key: Restate's `/output` (not ready, result,
not found). A fence by key: Square's cancel-by-idempotency-key, made definitive.
"""

from typing import Any

from faultlab.core.contract import Contract
from faultlab.core.tools import Tool, Toolset, tool
from faultlab.core.world import VERSIONS, World

KEYS = "_keys"
DONE = "_done"
RUNNING = "_running"
TOMBS = "_tombs"
BARS = "_bars"
FAILED = "_failed"
ENDED = "_ended"
"""When a row came to its end, where the windows of keys are counted from there."""

SYSTEM = frozenset({KEYS, DONE, RUNNING, TOMBS, BARS, FAILED, ENDED, VERSIONS})
"""The server's own tables."""


@tool(kind="status", route="GET /v1/operations/{reference}")
def operation_status(world: World, reference: str) -> dict[str, Any]:
    """Tell what became of the operation with this reference or key: applied, not_ready, failed or not_found."""
    if (done := world.peek(DONE, reference)) is not None:
        return {"state": "applied", **done}
    if world.peek(RUNNING, reference) is not None:
        return {"state": "not_ready"}
    if world.peek(FAILED, reference) is not None:
        return {"state": "failed"}
    world.put(BARS, reference, max(world.number, world.peek(BARS, reference) or 0))
    return {"state": "not_found"}


@tool(kind="fence", route="POST /v1/operations/{reference}/cancel")
def cancel_operation(world: World, reference: str) -> dict[str, Any]:
    """Bar the operation with this reference or key for good, unless it is applied or running."""
    if (done := world.peek(DONE, reference)) is not None:
        return {"state": "applied", **done}
    if world.peek(RUNNING, reference) is not None:
        return {"state": "not_ready"}
    world.put(TOMBS, reference, world.number)
    return {"state": "cancelled"}


@tool(kind="fence")
def request_cancel(world: World, reference: str) -> dict[str, Any]:
    """Ask for the operation with this reference or key to be cancelled; it may still take effect."""
    return {"state": "accepted"}


COOPERATIVE = Tool(
    name="cancel_operation",
    kind="fence",
    function=request_cancel.function,
    description=request_cancel.description,
    schema=request_cancel.schema,
    route=cancel_operation.route,
)


def with_contract(toolset: Toolset, contract: Contract) -> Toolset:
    """The toolset with the queries that the contract offers."""
    if contract.status:
        toolset = toolset.plus(operation_status)
    if contract.fence == "durable":
        toolset = toolset.plus(cancel_operation)
    elif contract.fence == "cooperative":
        toolset = toolset.plus(COOPERATIVE)
    return toolset
