"""The server of a lab that stands in front of something: keys and fences are its own, effects happen behind it."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from json import JSONDecoder
from typing import Any, NamedTuple

from faultlab.api.bridge import await_here, in_bridge, started
from faultlab.api.callers_clock import CallersClock
from faultlab.api.front import Front
from faultlab.core.actions import Cause, Reply
from faultlab.core.canonical import copy_json
from faultlab.core.clock import lives_virtually
from faultlab.core.contract import Contract
from faultlab.core.records import Call, Event, Receipt, Reveal
from faultlab.core.world import FrozenWorld, World
from faultlab.engine.booking import Change
from faultlab.engine.engine import Engine, Ticket
from faultlab.engine.server import Server
from faultlab.faults.plan import Plan

ANSWER = ":answer"
"""Pseudo header of a Reply: the number of the call whose answer from behind the lab it is. No real header has a colon
in its name."""

TOLD = ("retry-after", "etag", "age", "idempotent-replayed")
"""The headers that mean something to a judge."""

_decode = JSONDecoder().decode


class Answered(NamedTuple):
    """What came from behind the lab: a response, a value, or an exception."""

    status: int
    body: Any
    """As JSON, for the record."""
    headers: Mapping[str, str] = {}
    raw: Any = None
    """As it must reach the caller; an exception is raised there."""


class Relay(Server):
    """Admits a call like any server, and lets what is behind the lab execute it."""

    __slots__ = ("answers", "work")

    def __init__(self, front: Front, contract: Contract, seed: int) -> None:
        super().__init__(front.toolset, contract, World(FrozenWorld({})), seed)
        self.work: dict[int, Callable[[], Answered]] = {}
        """Call -> what executes it, as often as it is executed."""
        self.answers: dict[int, Answered] = {}

    def commit(self, call: Call, now_ns: int, cause: Cause = "agent", done: int | None = None) -> Reply:
        """Execute it behind the lab. An unsafe request that was answered 2xx is an effect."""
        work = self.work.get(call.n)
        if work is None:
            return super().commit(call, now_ns, cause, done)
        answer = self.answers[call.n] = work()
        reply = Reply(answer.status, answer.body, {**answer.headers, ANSWER: str(call.n)})
        if call.kind != "write":
            return reply
        mark = self.world.enter(self._ids(call, cause), call.reference, call.n)
        for handle in (call.key, call.reference):
            if handle is not None:
                self._ended(handle, call.n)
        if answer.status < 300:
            self._book(self.toolset.tools[call.tool], call, answer.body, now_ns, cause, Change())
        return reply if self.keys is None else self.keys.ended(call, reply, now_ns, mark)

    def preview(self, call: Call, now_ns: int) -> Reply:
        """The lab's own refusal or replay. What the app would answer nobody knows without asking it: 200 stands for
        any answer."""
        if call.n not in self.work:
            return super().preview(call, now_ns)
        mark = self.world.enter((0, "", "", 0), None, call.n)
        reply = self.admit(call, now_ns)
        self.world.rollback(mark)
        return Reply(200, {}) if reply is None else reply


class RelayEngine(Engine):
    """An engine whose server is a Relay. It is told the time at which an answer came, for work takes its time."""

    server: Relay

    def __init__(
        self, front: Front, contract: Contract, plan: Plan, seed: int, events: list[Event], clock: CallersClock
    ) -> None:
        super().__init__(front.toolset, contract, FrozenWorld({}), plan, seed, events)
        self.server = Relay(front, contract, seed)
        self._clock = clock
        self._turns = clock.turns

    def catch_up(self, to_ns: int) -> None:
        """What is late belongs to no caller: the cancellation of the one that happens to wait does not end it."""
        if not self.agenda or self.agenda[0][0] > to_ns:
            return
        if in_bridge():
            self._turns.apart(lambda: await_here(asyncio.shield(started(self._landing, to_ns))))
        else:
            super().catch_up(to_ns)

    def _landing(self, to_ns: int) -> None:
        with self._turns:
            super().catch_up(to_ns)

    def _fire(self, ticket: Ticket, now_ns: int) -> None:
        """A receipt of nothing cannot be lost: where the app refused, the fault has not struck."""
        planned = ticket.planned
        assert planned is not None
        answer = self.server.answers.get(ticket.call.n)
        if answer is None or answer.status < 300:
            super()._fire(ticket, now_ns)

    def _answer(self, ticket: Ticket, delivery: Any, now_ns: int) -> None:
        super()._answer(ticket, delivery, self._worked_until(now_ns))
        if type(delivery) is Reply and delivery.status < 300 and ticket.call.kind == "read":
            told = self._shown(ticket.call, delivery.body)
            ticket.reveals += tuple(item for item in told if item not in ticket.reveals)

    def _worked_until(self, begun_ns: int) -> int:
        """When what is behind the lab was ready. On a loop of the caller's own, and in its threads, an app takes real
        time, of which a virtual clock knows nothing: if that went on meanwhile, another caller waited."""
        follows = self._clock.runs_by_itself or (lives_virtually() and not in_bridge())
        return max(begun_ns, self._clock.now()) if follows else begun_ns

    def _shown(self, read: Call, body: Any) -> list[Reveal]:
        """An answer that holds the key or reference of a write shows its effect; one that does not proves nothing."""
        handles = {
            handle: Reveal(event.tool, event.identity, handle, (handle,), "present")
            for event in self._events
            if type(event) is Call and event.kind == "write"
            for handle in (event.key, event.reference)
            if handle is not None
        }
        if not handles:
            return []
        held = set(borne(read, body))
        for _, shown_in in self.toolset.tools[read.tool].shows:
            held.update(handle for handle in shown_in(body) if handle is not None)
        return [reveal for handle, reveal in handles.items() if handle in held]


def borne(read: Call, body: Any) -> Iterator[str]:
    """The texts that an answer has of its own: those in rows of a list, and all that the question did not hold. An
    answer such as `{"reference": "r-1", "found": false}` only repeats what it was asked."""
    asked = {read.tool, *read.tool.split("/"), *texts(dict(read.args))}
    yield from rows(body)
    yield from (text for text in texts(body) if text not in asked)


def texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value."""
    if type(value) is str:
        yield value
    elif isinstance(value, Mapping | list):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from texts(item)


def rows(value: Any) -> Iterator[str]:
    """Every text in an object that stands in a list."""
    if isinstance(value, list):
        for item in value:
            yield from texts(item) if isinstance(item, Mapping) else rows(item)
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from rows(item)


def answered(status: int, headers: Any, content: bytes, raw: Any) -> Answered:
    """An HTTP response, decoded for the record."""
    told = {name: headers[name] for name in TOLD if name in headers}
    return Answered(status, _decoded(content), told, raw)


def _decoded(content: bytes) -> Any:
    """JSON where it is JSON, else the text; an empty body is an empty object."""
    if not content:
        return {}
    try:
        return copy_json(_decode(content.decode()))
    except (ValueError, RecursionError):
        return content.decode("utf-8", "replace")


def plain(receipt: Receipt) -> Receipt:
    """A receipt without the pseudo header."""
    if ANSWER not in receipt.headers:
        return receipt
    headers = {name: value for name, value in receipt.headers.items() if name != ANSWER}
    return receipt._replace(headers=headers)
