"""agentraas: `exactly_once` with its SQLite store; the key that it fills in is passed on, as its README advises."""

from typing import Any

from agentraas.local import InFlightError, SQLiteStore, exactly_once
from sidebyside.work import Call, Desk, again, subject


def layer(desk: Desk) -> Call:
    @exactly_once(store=SQLiteStore(desk.file("agentraas.db")))
    def tool(name: str, args: dict[str, Any], idempotency_key: str | None = None) -> Any:
        return desk.send(name, args, idempotency_key)

    return again(tool)


agent = subject(layer, InFlightError)
