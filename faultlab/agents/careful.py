"""The right one: each intended effect is one call of ToolClient, which follows the policy table."""

from collections.abc import Callable
from typing import Any

from faultlab.agents.by_client import Tools, asettled, settled
from faultlab.agents.clerk import Clerk
from faultlab.agents.desk import Desk
from faultlab.client.policy import TABLE, Policy
from faultlab.core.records import Claim


def careful(
    task: Any,
    env: Any,
    table: Policy = TABLE,
    clerk: Callable[[Any, Any], Clerk] = Clerk,
    tools: type[Tools] = Tools,
) -> Claim:
    """Key and reference on each first send; then what the contract permits; at the end what is known."""
    desk = Desk(task, env, clerk)
    for job in desk.jobs():
        desk.ended(job, settled(desk, job, table, tools))
    return desk.claim()


async def careful_async(task: Any, env: Any) -> Claim:
    """The same over asynchronous tools."""
    desk = Desk(task, env)
    async for job in desk.ajobs():
        desk.ended(job, await asettled(desk, job))
    return desk.claim()
