"""What the correct agents share: the work that a task asks for, and the claim at its end. No recovery."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from faultlab.core.agent import ToolError
from faultlab.core.contract import Contract
from faultlab.core.records import Claim, Status


class Job(NamedTuple):
    """One thing to do."""

    tool: str
    args: dict[str, Any]
    handle: str
    """Names the intent: the same over every retry, another one for the second of two equal orders."""
    label: str
    text: str

    def listing(self) -> tuple[str, dict[str, Any], str]:
        """The read that shows its effect: tool, arguments, member of the body."""
        if self.tool == "refund_order":
            return "list_refunds", {"order_id": self.args["order_id"]}, "refunds"
        return "list_orders", {"customer": self.args["customer"], "item": self.args["item"]}, "orders"


class Desk:
    """The task, read; and the claim, written."""

    def __init__(self, task: Any, env: Any) -> None:
        self.task = task
        self.env = env
        self.calls = 0
        """Calls made so far: a claim names its evidence by number."""
        self._said: list[str] = []
        self._evidence: list[int] = []
        self._statuses: dict[str, Status] = {}

    def order_ids(self) -> list[str]:
        """From the inputs, or from the user, who says one fact a turn."""
        if self.task.inputs:
            return list(self.task.inputs.get("refund", ()))
        while (answer := self.env.ask_user("Which order?")) is not None:
            words = answer.replace(".", "").split()
            if "order" in words:
                return [words[words.index("order") + 1]]
        return []

    def refund(self, order_id: str, total: str) -> Job:
        args = {"order_id": order_id, "amount": total}
        handle = f"{self.task.id}/refund-{order_id}"
        return Job("refund_order", args, handle, f"refund_order({order_id})", f"Refunded {total} for {order_id}.")

    def orders(self) -> Iterator[Job]:
        seen: dict[str, int] = {}
        for number, line in enumerate(self.task.inputs.get("order", ()), 1):
            name = f"place_order({line['customer']}, {line['item']})"
            count = seen[name] = seen.get(name, 0) + 1
            label = name if count == 1 else f"{name}#{count}"
            yield Job("place_order", dict(line), f"{self.task.id}/{number}", label, f"Ordered {line['item']}.")

    def contract(self, tool: str) -> Contract:
        return Contract.from_spec(self.task.tools[tool]["contract"])

    def protects(self, contract: Contract, error: ToolError) -> bool:
        """A resend under the key is safe. A failure may have given the key free, whatever was done before it."""
        key = contract.key
        return key is not None and not (key.frees_on_5xx and (error.receipt.status or 0) >= 500)

    def settled(self, job: Job, number: int) -> None:
        """The job is done, by call `number`; 0: its outcome is unknown."""
        self._statuses[job.label] = "done" if number else "handed_over"
        if number:
            self._evidence.append(number)
            self._said.append(job.text)

    def claim(self) -> Claim:
        text = " ".join(self._said)
        if "handed_over" in self._statuses.values():
            claim: Claim = self.env.hand_over(f"{text} A person must look at the rest.".strip())
            return claim._replace(operations=self._statuses)
        return Claim("done", text, tuple(self._evidence), self._statuses)
