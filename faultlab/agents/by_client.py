"""The operations of an attempt by the public ToolClient: tools declared as an engineer declares them, one call each.

What the client has no words for is done by the same table without it: a write that a person must approve, a list in
one call, what somebody else sent before, and a write that is decided anew on another version.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from inspect import Parameter, Signature
from typing import Any

from faultlab.agents.desk import Desk
from faultlab.agents.store_journal import StoreJournal
from faultlab.client.client import ToolClient
from faultlab.client.execute import adrive, drive, recover, rows_of
from faultlab.client.policy import TABLE, Policy
from faultlab.client.recovery import Recovery
from faultlab.client.result import Result
from faultlab.client.steps import Stop
from faultlab.client.tool_spec import Page, ToolSpec
from faultlab.core.agent import Answer, Budget
from faultlab.core.answers import is_fresh
from faultlab.core.clock import NS, ns, unix_ns
from faultlab.core.contract import CONDITION_FIELD, KEY_FIELD, REFERENCE_FIELD
from faultlab.core.entitled import Move
from faultlab.core.records import Call, HandOver

BEYOND = frozenset({"needs_approval", "items"})
"""Members of a tool's specification that `ToolSpec.of` has no argument for."""


class EnvClock:
    """The attempt's clock, as the client reads it."""

    def __init__(self, env: Any) -> None:
        self._env = env

    def now(self) -> int:
        return ns(self._env.now())

    def sleep(self, wait_s: float) -> None:
        self._env.sleep(wait_s)

    async def asleep(self, wait_s: float) -> None:
        await self._env.asleep(wait_s)

    def until(self, at_ns: int) -> None:
        self.sleep(max(0, at_ns - self.now()) / NS)

    async def auntil(self, at_ns: int) -> None:
        await self.asleep(max(0, at_ns - self.now()) / NS)


class Tools:
    """The tools of one operation as plain functions, as an engineer would write them over a server."""

    def __init__(self, job: Recovery) -> None:
        self.job = job
        self.numbers: list[int] = []
        """Those of the client's calls in the attempt."""

    def invoke(self, tool: str, args: Mapping[str, Any]) -> Any:
        """One request."""
        self.noted(tool, args)
        return self.job.env.tools[tool](**args)

    def noted(self, tool: str, args: Mapping[str, Any]) -> None:
        """Every request counts."""
        log, env = self.job.log, self.job.env
        log.calls.append(Call(log.count + 1, ns(env.now()), tool, self.job.specs[tool]["kind"], args))

    def rows(self, tool: str, args: Mapping[str, Any]) -> Any:
        """The list that would show the effect."""
        return page(self.invoke(tool, args), args)

    def function(self, names: Iterable[str], ask: Callable[[str, Any], Any], tool: str) -> Callable[..., Any]:
        def call(**args: Any) -> Any:
            self.numbers.append(self.job.log.count + 1)
            return ask(tool, args)

        call.__signature__ = Signature([Parameter(name, Parameter.KEYWORD_ONLY) for name in names])  # type: ignore[attr-defined]  # what inspect.signature reads
        return call

    def query(self) -> Callable[..., Any] | None:
        tool = self.job.tool_for(Move.QUERY)
        return None if tool is None else self.function(self.job.query_args(), self.rows, tool)

    def by_handle(self, move: Move) -> Callable[..., Any] | None:
        tool = self.job.tool_for(move)
        return None if tool is None else self.function([REFERENCE_FIELD], self.invoke, tool)

    def carry_out(self, client: ToolClient) -> Any:
        """How the operation ended, by one call."""
        result = client.call(client.add(self.spec()), operation=self.job.intent.name, **arguments(self.job))
        return stop_of(result, self)

    def spec(self) -> ToolSpec:
        job = self.job
        given: Mapping[str, Any] = job.specs[job.intent.tool]
        handles = (*((KEY_FIELD,) if job.takes_key else ()), *((REFERENCE_FIELD,) if job.takes_reference else ()))
        return ToolSpec.of(
            self.function((*arguments(job), *handles), self.invoke, job.intent.tool),
            name=job.intent.tool,
            contract=replace(job.contract, poll_s=given.get("poll_s") or job.contract.poll_s),
            identity=(*given["identity"], *filter(None, [given.get("scope")])),
            query=self.query(),
            status=self.by_handle(Move.STATUS),
            fence=self.by_handle(Move.FENCE),
            idempotent=given.get("idempotent", False),
            provisional=given.get("provisional", False),
        )


class AsyncTools(Tools):
    """The same over asynchronous tools."""

    def invoke(self, tool: str, args: Mapping[str, Any]) -> Awaitable[Any]:
        self.noted(tool, args)
        return self.job.env.atools[tool](**args)  # type: ignore[no-any-return]  # a coroutine

    async def rows(self, tool: str, args: Mapping[str, Any]) -> Page:
        return page(await self.invoke(tool, args), args)

    async def carry_out(self, client: ToolClient) -> Stop:
        result = await client.acall(client.add(self.spec()), operation=self.job.intent.name, **arguments(self.job))
        return stop_of(result, self)


def page(body: Any, args: Mapping[str, Any]) -> Page:
    """A list, and whether it is all of it as of now."""
    return Page(rows_of(body, args), is_fresh(body, body.headers if isinstance(body, Answer) else {}))


def arguments(job: Recovery) -> dict[str, Any]:
    """Those of the call that is meant, with the version on which it rests."""
    condition = {} if job.if_match is None else {CONDITION_FIELD: job.if_match}
    return {**job.intent.args, **condition}


@contextmanager
def client_of(job: Recovery, task: Any, table: Policy) -> Iterator[ToolClient]:
    """With what is left of the attempt's budget. After a crash it goes on where its journal says."""
    env, made, budget = job.env, job.log.count, task.budget
    left = Budget(budget.calls - made, budget.seconds - env.now(), budget.cost - made)
    lost = not job.log.whole
    with ToolClient(
        StoreJournal(env.store), run=task.id, budget=left, lost=lost, clock=EnvClock(env), table=table
    ) as client:
        yield client


def stop_of(result: Result, tools: Tools) -> Stop:
    """What may be said of it, with the numbers and the times of the attempt."""
    numbers = tools.numbers
    shown = result.evidence[len(result.evidence) - len(numbers) :]
    proof = tuple(number for number, item in zip(numbers, shown, strict=True) if item.proves)
    return Stop(result.status, proof if result.status == "done" else (), record_of(result, tools))


def record_of(result: Result, tools: Tools) -> HandOver | None:
    """The client's record in the words of the task: there a region is a scope, here it was a part of the identity."""
    record, numbers, job = result.hand_over, tools.numbers, tools.job
    if record is None:
        return None
    first = len(result.evidence) - len(numbers)
    asked = dict(zip((item.n for item in result.evidence[first:]), numbers, strict=True))
    began_ns = unix_ns() - ns(job.env.now())
    return record._replace(
        operation=job.operation.label,
        scope=job.intent.args.get(job.operation.terms.scope or ""),
        first_sent_ns=record.first_sent_ns - began_ns,
        reads=tuple(asked[number] for number in record.reads if number in asked),
    )


def beyond(job: Recovery) -> bool:
    """Whether the client has no words for it: by its specification, or because it was sent before this attempt."""
    sent_before = job.taken_up or (bool(job.operation.calls) and not job.log.before)
    return sent_before or not BEYOND.isdisjoint(job.specs[job.intent.tool])


def settled(desk: Desk, job: Recovery, table: Policy = TABLE, tools: type[Tools] = Tools) -> Stop:
    """How the operation ended."""
    if beyond(job) or job.intent.source is not None:
        return drive(job, recover(job, table))
    with client_of(job, desk.task, table) as client:
        stop: Stop = tools(job).carry_out(client)
    return stop


async def asettled(desk: Desk, job: Recovery) -> Stop:
    """The same over asynchronous tools."""
    if beyond(job) or job.intent.source is not None:
        return await adrive(job, recover(job))
    with client_of(job, desk.task, TABLE) as client:
        return await AsyncTools(job).carry_out(client)
