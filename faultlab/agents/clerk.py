"""What all reference agents share: from a task to intents, and from stops to a claim. Recovery is theirs alone."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from faultlab.client.recovery import Intent, Log, Recovery
from faultlab.client.steps import Stop
from faultlab.core.agent import ToolError
from faultlab.core.canonical import label
from faultlab.core.records import Call, Claim, Status

ORDER = re.compile(r"\border (\w*\d\w*)", re.IGNORECASE)

WORST: tuple[Status, ...] = ("unknown", "handed_over", "refused", "not_done", "done")
"""The claim as a whole is as good as its worst operation."""


class Ending(NamedTuple):
    """One operation and how it ended."""

    intent: Intent
    label: str
    stop: Stop


class Clerk:
    """Reads the task and writes the claim."""

    def __init__(self, task: Any, env: Any) -> None:
        self.task = task
        self.env = env
        self.log = Log()
        self.endings: list[Ending] = []

    def recoveries(self) -> Iterator[Recovery]:
        """One for each intended effect, made when it is its turn: an order is read just before it is refunded."""
        for order_id in self.orders():
            yield self.recovery(refund(order_id, self.read("get_order", order_id=order_id)))
        for intent in self.lines():
            yield self.recovery(intent)

    def recovery(self, intent: Intent) -> Recovery:
        return Recovery(intent, self.task, self.env, self.log)

    def orders(self) -> list[str]:
        """The orders to refund: from the inputs, or from what the user says when asked."""
        if self.task.inputs:
            return list(self.task.inputs.get("refund", ()))
        found = self._ask_for_order()
        return [] if found is None else [found]

    def lines(self) -> Iterator[Intent]:
        """The orders to place; equal ones are told apart by their line."""
        seen: dict[str, int] = {}
        for line, wanted in enumerate(self.task.inputs.get("order", ()), 1):
            ordinal = seen[repr(wanted)] = seen.get(repr(wanted), 0) + 1
            yield Intent("place_order", dict(wanted), f"line-{line}", ordinal)

    def _ask_for_order(self) -> str | None:
        """Ask until the user names an order, or has nothing left to say."""
        question = "What can I do for you?"
        while (answer := self.env.ask_user(question)) is not None:
            if found := ORDER.search(answer):
                return found[1]
            question = "Which order is it?"
        return None

    def read(self, tool: str, **args: Any) -> Any:
        """A read that is tried three times."""
        for wait_s in (0.5, 1.0, None):
            self.note_read(tool, args)
            try:
                return self.env.tools[tool](**args)
            except ToolError:
                if wait_s is None:
                    raise
                self.env.sleep(wait_s)
        raise AssertionError("unreachable")

    def note_read(self, tool: str, args: dict[str, Any]) -> None:
        """Every call counts, this one too."""
        self.log.calls.append(Call(len(self.log.calls) + 1, 0, tool, "read", args))

    def ended(self, recovery: Recovery, stop: Stop) -> None:
        operation = recovery.operation
        name = label(operation.tool, operation.identity, operation.ordinal)
        self.endings.append(Ending(recovery.intent, name, stop))

    def claim(self) -> Claim:
        """Everything that ended, in one claim."""
        if not self.endings:
            return Claim.not_done("There was nothing to do.")
        stops = [ending.stop for ending in self.endings]
        status = next(item for item in WORST if any(stop.status == item for stop in stops))
        evidence = tuple(dict.fromkeys(number for stop in stops for number in stop.evidence))
        text = " ".join(said for ending in self.endings if (said := _said(ending)))
        operations = {ending.label: ending.stop.status for ending in self.endings}
        records = [stop.record for stop in stops if stop.record is not None]
        if status == "handed_over":
            claim: Claim = self.env.hand_over(text, records)
            return claim._replace(evidence=evidence, operations=operations)
        return Claim(status, text, evidence, operations, tuple(records))


def refund(order_id: str, order: Any) -> Intent:
    """The whole of an order, as it was read."""
    return Intent("refund_order", {"order_id": order_id, "amount": order["total"]}, f"refund-{order_id}")


def _said(ending: Ending) -> str:
    stop, args = ending.stop, ending.intent.args
    if stop.text is not None:
        return stop.text
    if ending.intent.tool == "refund_order":
        what = f"{args.get('amount', 'the amount')} for {args['order_id']}"
        return {
            "done": f"Refunded {what}.",
            "not_done": f"Did not refund {what}.",
            "refused": f"May not refund {what}.",
        }.get(stop.status, f"Whether {what} was refunded is not known; a person must look.")
    what = f"{args['quantity']} x {args['item']} for {args['customer']}"
    return {
        "done": f"Ordered {what}.",
        "not_done": f"Did not order {what}.",
        "refused": f"May not order {what}.",
    }.get(stop.status, f"Whether {what} was ordered is not known; a person must look.")
