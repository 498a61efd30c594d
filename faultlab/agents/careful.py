"""The right one: it follows the policy table, for synchronous and for asynchronous tools."""

from itertools import chain
from typing import Any

from faultlab.agents.clerk import Clerk, refund
from faultlab.client.execute import adrive, drive, recover
from faultlab.client.policy import TABLE, Policy
from faultlab.core.records import Claim


def careful(task: Any, env: Any, table: Policy = TABLE) -> Claim:
    """Key and reference on each first send; then what the contract permits; at the end what is known."""
    clerk = Clerk(task, env)
    for recovery in chain(clerk.recoveries(), clerk.reopened()):
        clerk.ended(recovery, drive(recovery, recover(recovery, table)))
    return clerk.claim()


async def careful_async(task: Any, env: Any) -> Claim:
    """The same table and the same moves, under the asynchronous driver."""
    clerk = Clerk(task, env)
    for order_id in clerk.orders():
        if clerk.may_read(order_id) and (order := await clerk.aorder(order_id)) is not None:
            recovery = clerk.recovery(refund(order_id, order))
            clerk.ended(recovery, await adrive(recovery, recover(recovery)))
    for recovery in chain(map(clerk.recovery, clerk.lines()), clerk.reopened()):
        clerk.ended(recovery, await adrive(recovery, recover(recovery)))
    return clerk.claim()
