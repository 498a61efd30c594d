"""deduplex: the `guard` decorator with its store in memory; then its connector `webhook.post`, which sends a key."""

from typing import Any

from deduplex import Guard, derive_key, guard
from deduplex.connectors import webhook
from deduplex.exceptions import DuplicateInProgressError
from sidebyside.work import SOLD, Call, Desk, again, subject


def layer(desk: Desk) -> Call:
    @guard(key=lambda name, args: derive_key(args, namespace=name), guard_instance=Guard())
    def tool(name: str, args: dict[str, Any]) -> Any:
        return desk.send(name, args)

    return again(tool)


def connected(desk: Desk) -> Call:
    guarded = Guard()

    def tool(name: str, args: Any) -> Any:
        payload = {**args, "reference": desk.reference}
        return webhook.post(guarded, desk.http, SOLD[name], payload).raise_for_status().json()

    return again(tool)


agent = subject(layer, DuplicateInProgressError)
connector = subject(connected, DuplicateInProgressError)
