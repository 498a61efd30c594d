"""A correct asynchronous agent that asks before it resends, also where a key would make the resend safe."""

import asyncio
from typing import Any

from faultlab.agents.correct.desk import Desk, Job
from faultlab.core.agent import ToolError
from faultlab.core.contract import Contract
from faultlab.core.records import Claim, Outcome


class Asking(Desk):
    """Query, then act."""

    async def call(self, tool: str, **args: Any) -> Any:
        self.calls += 1
        return await self.env.atools[tool](**args)

    async def shows(self, job: Job, reference: str) -> bool:
        tool, args, member = job.listing()
        rows = (await self.call(tool, **args))[member]
        return any(row["reference"] == reference for row in rows)

    async def ask(self, job: Job, reference: str, sent_s: float, contract: Contract, error: ToolError) -> bool | None:
        """True: applied. False: a resend is safe now. None: it is not, and asking does not help any more."""
        if self.protects(contract, error):
            return await self.shows(job, reference)
        if contract.status or contract.fence == "durable":
            surface = "operation_status" if contract.status else "cancel_operation"
            while (state := (await self.call(surface, reference=reference))["state"]) == "not_ready":  # noqa: ASYNC110 - polling is what this surface is for
                await asyncio.sleep(contract.poll_s)
            return bool(state == "applied")
        if await self.shows(job, reference):
            return True
        if contract.settle_s is None:
            await asyncio.sleep(contract.poll_s)
            return True if await self.shows(job, reference) else None
        settled_s = sent_s + contract.settle_s + contract.read_lag_s
        await asyncio.sleep(max(0.0, settled_s - self.env.now()))
        return await self.shows(job, reference)

    async def settle(self, job: Job) -> int:
        contract, reference = self.contract(job.tool), job.handle
        key = {} if contract.key is None else {"idempotency_key": job.handle}
        for generation in range(1, 4):
            sent_s = self.env.now()
            try:
                await self.call(job.tool, **job.args, **key, reference=reference)
            except ToolError as error:
                applied = False
                if error.outcome is Outcome.UNKNOWN:
                    answer = await self.ask(job, reference, sent_s, contract, error)
                    if answer is None:
                        return 0
                    applied = answer
                if applied:
                    return self.calls
                if contract.key is None:
                    reference = f"{job.handle}-{generation}"
                await asyncio.sleep(generation)
            else:
                return self.calls
        return 0


async def asks_first(task: Any, env: Any) -> Claim:
    """Costs a read more than it must, and is never wrong for it."""
    desk = Asking(task, env)
    for order_id in desk.order_ids():
        job = desk.refund(order_id, (await desk.call("get_order", order_id=order_id))["total"])
        desk.settled(job, await desk.settle(job))
    for job in desk.orders():
        desk.settled(job, await desk.settle(job))
    return desk.claim()
