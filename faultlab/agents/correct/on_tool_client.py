"""A correct agent that leaves recovery to the public ToolClient: it declares the tools, calls, and says what came out.

What the client has no words for is done by the same table without it: a write that a person must approve, a list in
one call, and what somebody else sent before.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from inspect import Parameter, Signature
from typing import Any

from faultlab.agents.correct.desk import Desk
from faultlab.agents.correct.journal_in_store import StoreJournal
from faultlab.client.client import ToolClient
from faultlab.client.execute import drive, recover, rows_of
from faultlab.client.moves import read_and_decide
from faultlab.client.recovery import Recovery
from faultlab.client.result import Result
from faultlab.client.steps import Stop
from faultlab.client.tool_spec import Page, ToolSpec
from faultlab.core.agent import Answer, Budget
from faultlab.core.answers import is_fresh
from faultlab.core.clock import NS, ns
from faultlab.core.contract import CONDITION_FIELD, KEY_FIELD, REFERENCE_FIELD
from faultlab.core.entitled import Move
from faultlab.core.records import Call, Claim

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
        """Those of its calls in the attempt."""

    def function(self, tool: str, names: Iterable[str]) -> Callable[..., Any]:
        def call(**args: Any) -> Any:
            log, env = self.job.log, self.job.env
            log.calls.append(Call(log.count + 1, ns(env.now()), tool, self.job.specs[tool]["kind"], args))
            self.numbers.append(log.count)
            return env.tools[tool](**args)

        call.__signature__ = Signature([Parameter(name, Parameter.KEYWORD_ONLY) for name in names])  # type: ignore[attr-defined]  # what inspect.signature reads
        return call

    def query(self) -> Callable[..., Any] | None:
        """The list that would show the effect."""
        if (tool := self.job.tool_for(Move.QUERY)) is None:
            return None
        ask = self.function(tool, self.job.query_args())

        def rows(**args: Any) -> Page:
            body = ask(**args)
            return Page(rows_of(body, args), is_fresh(body, body.headers if isinstance(body, Answer) else {}))

        rows.__signature__ = ask.__signature__  # type: ignore[attr-defined]  # as above
        return rows

    def by_handle(self, move: Move) -> Callable[..., Any] | None:
        tool = self.job.tool_for(move)
        return None if tool is None else self.function(tool, [REFERENCE_FIELD])

    def spec(self) -> ToolSpec:
        job = self.job
        given: Mapping[str, Any] = job.specs[job.intent.tool]
        handles = (*((KEY_FIELD,) if job.takes_key else ()), *((REFERENCE_FIELD,) if job.takes_reference else ()))
        return ToolSpec.of(
            self.function(job.intent.tool, (*arguments(job), *handles)),
            name=job.intent.tool,
            contract=replace(job.contract, poll_s=given.get("poll_s") or job.contract.poll_s),
            identity=(*given["identity"], *filter(None, [given.get("scope")])),
            query=self.query(),
            status=self.by_handle(Move.STATUS),
            fence=self.by_handle(Move.FENCE),
            idempotent=given.get("idempotent", False),
            provisional=given.get("provisional", False),
        )


def stop_of(result: Result, numbers: list[int]) -> Stop:
    """What may be said of it; the evidence by the numbers of the attempt."""
    shown = result.evidence[len(result.evidence) - len(numbers) :]
    proof = tuple(number for number, item in zip(numbers, shown, strict=True) if item.proves)
    return Stop(result.status, proof if result.status == "done" else ())


def beyond(job: Recovery) -> bool:
    """Whether the client has no words for it: by its specification, or because it was sent before this attempt."""
    sent_before = job.taken_up or (bool(job.operation.calls) and not job.log.before)
    return sent_before or not BEYOND.isdisjoint(job.specs[job.intent.tool])


def arguments(job: Recovery) -> dict[str, Any]:
    """Those of the call that is meant, with the version on which it rests."""
    condition = {} if job.if_match is None else {CONDITION_FIELD: job.if_match}
    return {**job.intent.args, **condition}


def called(job: Recovery, task: Any) -> tuple[Result, Stop]:
    """The operation by one `call`, with what is left of the attempt's budget. After a crash it goes on there."""
    env, made, budget = job.env, job.log.count, task.budget
    left = Budget(budget.calls - made, budget.seconds - env.now(), budget.cost - made)
    tools, journal = Tools(job), StoreJournal(env.store)
    with ToolClient(journal, run=task.id, budget=left, lost=not job.log.whole, clock=EnvClock(env)) as client:
        result = client.call(client.add(tools.spec()), operation=job.intent.name, **arguments(job))
    return result, stop_of(result, tools.numbers)


def overtaken(job: Recovery, result: Result) -> bool:
    """Refused for its version: what is to be written can be decided on the one that is there now."""
    said = [item.said for item in result.evidence if item.tool == job.intent.tool]
    decidable = job.intent.source is not None and job.left.affords()
    return result.status == "not_done" and said[-1:] == ["412"] and decidable


def settled(desk: Desk, job: Recovery, task: Any) -> Stop:
    """Call, and where somebody else's version came first, read and call again."""
    while True:
        result, stop = called(job, task)
        if not overtaken(job, result):
            return stop
        if (ended := desk.do(job, read_and_decide(job))) is not None:
            return ended


def on_tool_client(task: Any, env: Any) -> Claim:
    """One `call` for each intended effect."""
    desk = Desk(task, env)
    for job in desk.jobs():
        desk.ended(job, drive(job, recover(job)) if beyond(job) else settled(desk, job, task))
    desk.clerk.log.whole = False  # the client's records tell the time of the world: the wire has that of the attempt
    return desk.claim()
