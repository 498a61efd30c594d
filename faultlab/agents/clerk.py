"""What all reference agents share: from a task to intents, and from stops to a claim. Recovery is theirs alone."""

import re
from collections.abc import AsyncIterator, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

from tenacity import AsyncRetrying, Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential

from faultlab.agents.documents import Document, compared, newest
from faultlab.agents.groundwork import Groundwork, Manner
from faultlab.client.recovery import Intent, Log, Recovery
from faultlab.client.steps import Steps, Stop
from faultlab.core.agent import ToolError
from faultlab.core.canonical import identity_of, label
from faultlab.core.clock import ns
from faultlab.core.entitled import Left
from faultlab.core.records import Call, Claim, Status

ORDER = re.compile(r"\border (\w*\d\w*)", re.IGNORECASE)

WORST: tuple[Status, ...] = ("unknown", "handed_over", "refused", "not_done", "done")
"""The claim as a whole is as good as its worst operation."""


INPUTS = frozenset({"refund", "order", "journal", "sources", "only_where", "count", "limit", "check"})
"""What the inputs of a task may name beside the tools to call."""

READS: dict[str, Any] = {
    "wait": wait_exponential(multiplier=0.5),
    "retry": retry_if_exception_type(ToolError),
    "reraise": True,
}
"""A read that fails is tried again after 0.5 and 1 s."""


JOURNAL = "journal"
"""The entry of `env.store` that says whether it holds all that was sent: `whole` or `lost`."""


def opened(env: Any, *, lost: bool = False) -> Log:
    """Open the journal. One that is empty although the work was begun before was lost; the task may say so too."""
    store = env.store
    if JOURNAL not in store:
        store[JOURNAL] = "whole" if len(store) or not (env.resumed or lost) else "lost"
    return Log(env.calls, whole=store[JOURNAL] == "whole")


class Ending(NamedTuple):
    """One operation and how it ended."""

    intent: Intent
    stop: Stop
    recovery: Recovery | None = None
    """None: it was not begun."""
    asked: int = 0
    """How many answers about it there were at its end."""

    @property
    def told_only(self) -> bool:
        """The task was done by a report alone, without a write: then no operation is."""
        return self.stop.status == "done" and self.stop.text is not None


class Clerk:
    """Reads the task and writes the claim.

    `tries`: how often a read is tried; `unread`: what is said of an operation that needs what none of them gave;
    `first`: what is written rests on the page that came first, whatever its version.
    """

    groundwork = Groundwork
    """How what a write rests on is read."""

    def __init__(
        self, task: Any, env: Any, *, tries: int = 3, unread: Status = "handed_over", first: bool = False
    ) -> None:
        self.task = task
        self.env = env
        self.reads: dict[str, Any] = {**READS, "stop": stop_after_attempt(tries)}
        self.unread: Status = unread
        self.manner = Manner(task.inputs, tries, unread, first)
        self.lists: dict[str, list[Any] | None] = {}
        """What the agent has read of lists."""
        self.log = opened(env, lost=task.inputs.get("journal") == "lost")
        self.endings: dict[str, Ending] = {}
        """By label, in the order of the task."""
        self.findings: list[str] = []
        """What was found where nothing is to be written."""

    def recoveries(self) -> Iterator[Recovery]:
        """One for each intended effect, made when it is its turn: an order is read just before it is refunded."""
        for order_id in self.orders():
            if self.may_read(order_id) and (order := self.order(order_id)) is not None:
                yield self.recovery(refund(order_id, order))
        for intent in self.lines():
            yield self.recovery(intent)
        if "check" in self.task.inputs:
            self._check(self.task.inputs["check"])

    async def arecoveries(self) -> AsyncIterator[Recovery]:
        """The same over asynchronous tools, and then those that were reopened."""
        for order_id in self.orders():
            if self.may_read(order_id) and (order := await self.aorder(order_id)) is not None:
                yield self.recovery(refund(order_id, order))
        for recovery in chain(map(self.recovery, self.lines()), self.reopened()):
            yield recovery
        if "check" in self.task.inputs:
            check, sources = self.task.inputs["check"], self.task.inputs["sources"]
            page = await self.aread("get_page", page_id=check["page_id"])
            found = [Document(item["tool"], await self.aread(item["tool"], **item["args"])) for item in sources]
            self.findings += compared(page, newest(found), check["members"])

    def prepared(self, recovery: Recovery, steps: Steps) -> Steps:
        """What has to be read before the write, and then an agent's own way with it."""
        return self.groundwork(recovery, self.manner, self.lists).steps(steps)

    def _check(self, check: Mapping[str, Any]) -> None:
        """Compare a page with the latest of its sources."""
        page = self.read("get_page", page_id=check["page_id"])
        sources = self.task.inputs["sources"]
        found = [Document(item["tool"], self.read(item["tool"], **item["args"])) for item in sources]
        self.findings += compared(page, newest(found), check["members"])

    def reopened(self) -> Iterator[Recovery]:
        """Those handed over about which a later query, made for an equal operation, has told something."""
        for ending in list(self.endings.values()):
            recovery = ending.recovery
            if ending.stop.status == "handed_over" and recovery and len(recovery.operation.reads) > ending.asked:
                yield recovery

    def recovery(self, intent: Intent) -> Recovery:
        return Recovery(intent, self.task, self.env, self.log)

    def orders(self) -> list[str]:
        """The orders to refund: from the inputs, or from what the user says when asked."""
        if self.task.inputs:
            return list(self.task.inputs.get("refund", ()))
        found = self._ask_for_order()
        return [] if found is None else [found]

    def lines(self) -> Iterator[Intent]:
        """What the inputs list for a tool by its name, or as orders; equal ones are told apart by their line."""
        seen: dict[tuple[str, str], int] = {}
        for name, listed in self.task.inputs.items():
            tool = "place_order" if name == "order" else name
            if tool not in self.task.tools:
                continue
            for line, wanted in enumerate(listed, 1):
                same = tool, self._identity(tool, wanted)
                ordinal = seen[same] = seen.get(same, 0) + 1
                yield Intent(tool, dict(wanted), f"line-{line}", ordinal)

    def _identity(self, tool: str, args: Mapping[str, Any]) -> str:
        return identity_of(self.task.tools[tool]["identity"], args)

    def _ask_for_order(self) -> str | None:
        """Ask until the user has nothing left to say: what comes later may take back what came before."""
        question, named = "What can I do for you?", None
        while (answer := self.env.ask_user(question)) is not None:
            if found := ORDER.search(answer):
                named = found[1]
            question = "Which order is it?" if named is None else f"Order {named}. Is there anything else?"
        return named

    def may_read(self, order_id: str) -> bool:
        """Whether the budget has a call left; without one the refund is not begun."""
        if Left.of(self.task.budget, self.log.count, ns(self.env.now())).affords():
            return True
        intent = Intent("refund_order", {"order_id": order_id}, f"refund-{order_id}")
        self._end(Ending(intent, Stop("not_done")))
        return False

    def order(self, order_id: str) -> Any:
        """None where it cannot be read: then its refund is not begun."""
        try:
            return self.read("get_order", order_id=order_id)
        except ToolError:
            return self.without(order_id)

    async def aorder(self, order_id: str) -> Any:
        """The same over asynchronous tools."""
        try:
            return await self.aread("get_order", order_id=order_id)
        except ToolError:
            return self.without(order_id)

    def without(self, order_id: str) -> None:
        """Without the order there is no amount."""
        intent = Intent("refund_order", {"order_id": order_id}, f"refund-{order_id}")
        self._end(Ending(intent, Stop(self.unread, text=f"Order {order_id} could not be read; nothing was sent.")))

    def read(self, tool: str, **args: Any) -> Any:
        """Raises ToolError when the last attempt failed too."""

        def attempt() -> Any:
            self._note_read(tool, args)
            return self.env.tools[tool](**args)

        return Retrying(sleep=self.env.sleep, **self.reads)(attempt)

    async def aread(self, tool: str, **args: Any) -> Any:
        """The same over asynchronous tools."""

        async def attempt() -> Any:
            self._note_read(tool, args)
            return await self.env.atools[tool](**args)

        return await AsyncRetrying(sleep=self.env.asleep, **self.reads)(attempt)

    def _note_read(self, tool: str, args: dict[str, Any]) -> None:
        """Every call counts, this one too."""
        self.log.calls.append(Call(self.log.count + 1, ns(self.env.now()), tool, "read", args))

    def ended(self, recovery: Recovery, stop: Stop) -> None:
        self._end(Ending(recovery.intent, stop, recovery, len(recovery.operation.reads)))

    def _end(self, ending: Ending) -> None:
        intent = ending.intent
        self.endings[label(intent.tool, self._identity(intent.tool, intent.args), intent.ordinal)] = ending

    def claim(self) -> Claim:
        """Everything that ended, in one claim."""
        if self.findings:
            return Claim("done", " ".join(self.findings), tuple(range(1, self.log.count + 1)))
        if not self.endings:
            return Claim.not_done("There was nothing to do.")
        endings = self.endings.values()
        stops = [ending.stop for ending in endings]
        status = next(item for item in WORST if any(stop.status == item for stop in stops))
        evidence = tuple(dict.fromkeys(number for stop in stops for number in stop.evidence))
        text = " ".join(said for ending in endings if (said := _said(ending)))
        operations = {name: ending.stop.status for name, ending in self.endings.items() if not ending.told_only}
        records = [stop.record for stop in stops if stop.record is not None]
        if status == "handed_over":
            # Without its journal an agent does not know when and how it sent: the wire does.
            claim: Claim = self.env.hand_over(text, records if self.log.whole else None)
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
    if ending.intent.tool != "place_order":
        return f"{ending.intent.tool} {', '.join(map(str, args.values()))}: {stop.status.replace('_', ' ')}."
    what = f"{args['quantity']} x {args['item']} for {args['customer']}"
    return {
        "done": f"Ordered {what}.",
        "not_done": f"Did not order {what}.",
        "refused": f"May not order {what}.",
    }.get(stop.status, f"Whether {what} was ordered is not known; a person must look.")
