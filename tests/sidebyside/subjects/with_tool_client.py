"""faultlab's ToolClient: told the contract, given a query, and the status and fence tools where they are offered."""

from typing import Any

from sidebyside.work import SOLD, Call, Desk, subject

from faultlab import ToolClient
from faultlab.client.result import OutcomeUnknown


def layer(desk: Desk) -> Call:
    client = ToolClient(desk.file("journal.db"), run=desk.ticket)
    offered = desk.task.tools

    def asked(name: str) -> Any:
        def ask(reference: str) -> Any:
            return desk.env.http.post(f"/tools/{name}", json={"reference": reference}).raise_for_status().json()

        return ask if name in offered else None

    def declare(name: str) -> Any:
        def query(args: dict[str, Any]) -> Any:
            return desk.page(name, args)

        @client.guard(
            name=name,
            contract={"profile": "none", **offered[name]["contract"]},
            identity=["args"],
            query=query,
            status=asked("operation_status"),
            fence=asked("cancel_operation"),
        )
        def tool(args: dict[str, Any], reference: str, idempotency_key: str | None = None) -> Any:
            return desk.send(name, args, idempotency_key, reference)

        return tool

    tools = {name: declare(name) for name in SOLD}
    return lambda name, args: tools[name](args, operation=str(desk.step))


agent = subject(layer, OutcomeUnknown)
