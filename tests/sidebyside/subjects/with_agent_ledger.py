"""agent-ledger: `EffectLedger.run` with its store in memory; `idem_key` is passed on, as its README advises."""

import asyncio
from typing import Any

from agent_ledger import EffectLedger, EffectLedgerOptions, EffectTimeoutError, MemoryStore, ToolCall
from sidebyside.work import Call, Desk, again, subject


def layer(desk: Desk) -> Call:
    ledger = EffectLedger(EffectLedgerOptions(store=MemoryStore()))

    def call(name: str, args: Any) -> Any:
        async def handler(effect: Any) -> Any:
            return desk.send(name, args, effect.idem_key)

        return asyncio.run(ledger.run(ToolCall(workflow_id=desk.ticket, tool=name, args=args), handler=handler))

    return again(call)


agent = subject(layer, EffectTimeoutError)
