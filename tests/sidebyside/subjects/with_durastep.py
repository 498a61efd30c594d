"""durastep: a step in a run of the ticket's name, with its SQLite store; then with a key of the caller's own as well.

Its README advises one for payments, and it gives none.
"""

from typing import Any

from durastep import SQLiteStore, run, step
from sidebyside.work import Call, Desk, again, subject


def _stepped(desk: Desk, *, keyed: bool) -> Call:
    store = SQLiteStore(desk.file("durastep.db"))

    @step(name="shop")
    def tool(name: str, args: dict[str, Any]) -> Any:
        return desk.send(name, args, desk.reference if keyed else None)

    def call(name: str, args: Any) -> Any:
        with run(desk.ticket, store=store):
            return tool(name, args)

    return again(call)


def layer(desk: Desk) -> Call:
    return _stepped(desk, keyed=False)


def own_key(desk: Desk) -> Call:
    return _stepped(desk, keyed=True)


agent = subject(layer)
keyed = subject(own_key)
