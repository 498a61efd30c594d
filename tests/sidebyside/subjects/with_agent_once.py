"""agent-once: its decorator with SQLite and a scope, the key passed on; then with `unknown_on` and `verify` as well."""

from typing import Any

import httpx
from once import NOT_HAPPENED, Once
from once.exceptions import EffectPending, EffectUnknown
from sidebyside.work import Call, Desk, again, subject


def _scoped(desk: Desk, once: Once, tool: Call) -> Call:
    def call(name: str, args: Any) -> Any:
        with once.scope(desk.ticket):
            return tool(name, args)

    return again(call)


def layer(desk: Desk) -> Call:
    once = Once(desk.file("once.db"))

    @once.tool(name="shop")
    def tool(name: str, args: dict[str, Any], idempotency_key: str | None = None) -> Any:
        return desk.send(name, args, idempotency_key)

    return _scoped(desk, once, tool)


def looking(desk: Desk) -> Call:
    once = Once(desk.file("once.db"), unknown_on=(TimeoutError, httpx.HTTPError), stale_after=30)

    def verify(key: str, args: dict[str, Any]) -> Any:
        found = desk.find(args["name"], args["args"])
        return NOT_HAPPENED if found is None else found

    @once.tool(name="shop", verify=verify)
    def tool(name: str, args: dict[str, Any], idempotency_key: str | None = None) -> Any:
        return desk.send(name, args, idempotency_key)

    return _scoped(desk, once, tool)


agent = subject(layer, EffectPending, EffectUnknown)
verifying = subject(looking, EffectPending, EffectUnknown)
