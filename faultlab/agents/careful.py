"""The right one: it follows the policy table, for synchronous and for asynchronous tools."""

from collections.abc import Callable
from itertools import chain
from typing import Any

from faultlab.agents.clerk import Clerk
from faultlab.client.execute import adrive, drive, recover
from faultlab.client.policy import TABLE, Policy
from faultlab.core.records import Claim


def careful(task: Any, env: Any, table: Policy = TABLE, clerk: Callable[[Any, Any], Clerk] = Clerk) -> Claim:
    """Key and reference on each first send; then what the contract permits; at the end what is known."""
    desk = clerk(task, env)
    for recovery in chain(desk.recoveries(), desk.reopened()):
        desk.ended(recovery, drive(recovery, desk.prepared(recovery, recover(recovery, table))))
    return desk.claim()


async def careful_async(task: Any, env: Any) -> Claim:
    """The same table and the same moves, under the asynchronous driver."""
    clerk = Clerk(task, env)
    async for recovery in clerk.arecoveries():
        clerk.ended(recovery, await adrive(recovery, clerk.prepared(recovery, recover(recovery))))
    return clerk.claim()
