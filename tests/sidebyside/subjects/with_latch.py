"""latch-idempotent: `idempotent` with its store in memory; the key is the caller's, and the tool does not see it."""

from typing import Any

from latch import InMemoryStore, idempotent
from sidebyside.work import Call, Desk, again, subject


def layer(desk: Desk) -> Call:
    @idempotent(store=InMemoryStore())
    def tool(name: str, args: dict[str, Any]) -> Any:
        return desk.send(name, args)

    return again(lambda name, args: tool(name, args, idempotency_key=desk.reference))


agent = subject(layer)
