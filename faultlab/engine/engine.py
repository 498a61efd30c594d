"""The driver: it picks a call's fault, steps its script, and runs late scripts each at its own time.

`submit` and `catch_up` never wait. Time is a parameter; the transports wait.
"""

import heapq
from collections.abc import Mapping
from typing import Any

from faultlab.core.actions import (
    Admit,
    Answer,
    Commit,
    Delivery,
    Fire,
    Forget,
    Preview,
    Reply,
    Script,
    Sleep,
)
from faultlab.core.contract import Contract
from faultlab.core.outcome import is_in_flight
from faultlab.core.records import Call, Effect, Event, Fired, Reveal
from faultlab.core.tools import Toolset
from faultlab.core.world import FrozenWorld, World
from faultlab.engine.reveals import is_negative, reveals
from faultlab.engine.server import Server
from faultlab.faults.plan import Plan, Planned


class Ticket:
    """A call in the hands of the engine. `delivery` is None until it is answered, at `at_ns`."""

    __slots__ = ("at_ns", "call", "closed_ns", "delivery", "planned", "reveals", "script", "sent_ns")

    def __init__(self, call: Call, now_ns: int) -> None:
        self.call = call
        self.sent_ns = now_ns
        self.delivery: Delivery | None = None
        self.at_ns = 0
        self.reveals: tuple[Reveal, ...] = ()
        self.script: Script | None = None
        self.planned: Planned | None = None
        self.closed_ns: int | None = None
        """When the caller's receipt came, set by the session."""


class Engine:
    """One attempt's tool server: world, contract, plan and agenda."""

    def __init__(
        self,
        toolset: Toolset,
        contract: Contract,
        start: FrozenWorld,
        plan: Plan,
        seed: int,
        events: list[Event],
    ) -> None:
        self.toolset = toolset
        self.contract = contract
        self._told = contract.disclosed()
        """What an answer settles depends on what its reader was promised."""
        self.server = Server(toolset, contract, World(start), seed)
        self.plan = plan
        self.agenda: list[tuple[int, int, Ticket]] = []
        self._events = events
        self._plan: dict[str, list[Planned]] = {}
        for planned in plan:
            self._plan.setdefault(planned.tool, []).append(planned)
        self._seen: dict[int, int] = {}
        self._order = 0
        self._waking: list[Ticket] = []

    @property
    def ledger(self) -> list[Effect]:
        return self.server.ledger

    def submit(self, call: Call, now_ns: int) -> Ticket:
        """Take a call at `now_ns`; what was due before it happens before it."""
        if self.agenda:
            self.catch_up(now_ns)
        ticket = Ticket(call, now_ns)
        server = self.server
        if call.kind == "write":
            server.number(call)
        if call.tool in self._plan and (planned := self._pick(call, now_ns)) is not None:
            ticket.planned = planned
            ticket.script = planned.fault().run(call)
            self._step(ticket, now_ns)
        else:
            self._answer(ticket, server.forward(call, now_ns), now_ns)
        return ticket

    def _pick(self, call: Call, now_ns: int) -> Planned | None:
        """The fault addressed to this call, if the server would answer it with 2xx."""
        chosen = None
        eligible = None
        for planned in self._plan[call.tool]:
            if not planned.matches(call):
                continue
            if eligible is None:
                eligible = self.server.preview(call, now_ns).status < 300
            if not eligible:
                return None
            count = self._seen[id(planned)] = self._seen.get(id(planned), 0) + 1
            if count == planned.occurrence and chosen is None:
                chosen = planned
        return chosen

    def _step(self, ticket: Ticket, now_ns: int) -> None:
        """Run a script to its next Sleep or its end."""
        script, call, server = ticket.script, ticket.call, self.server
        assert script is not None
        value: Any = None
        while True:
            try:
                action = script.send(value)
            except StopIteration as stop:
                if stop.value is not None:
                    self._answer(ticket, stop.value, now_ns)
                return
            value = None
            kind = type(action)
            if kind is Admit:
                value = server.admit(call, now_ns)
            elif kind is Commit:
                value = server.commit(call, now_ns)
            elif kind is Preview:
                value = server.preview(call, now_ns)
            elif kind is Answer:
                self._answer(ticket, action.delivery, now_ns)  # type: ignore[union-attr]  # narrowed by `kind`
            elif kind is Fire:
                self._fire(ticket, now_ns)
            elif kind is Forget:
                server.forget(call)
            elif kind is Sleep:
                self._sleep(ticket, action, now_ns)  # type: ignore[arg-type]  # narrowed by `kind`
                return

    def _fire(self, ticket: Ticket, now_ns: int) -> None:
        planned = ticket.planned
        assert planned is not None
        fault = planned.fault()
        self._events.append(Fired(ticket.call.n, now_ns, fault.name, fault.phase, planned.symptom, planned.required))

    def _sleep(self, ticket: Ticket, action: Sleep, now_ns: int) -> None:
        self._order += 1
        due_ns = max(now_ns, ticket.sent_ns + action.wait_ns)
        heapq.heappush(self.agenda, (due_ns, self._order, ticket))
        if action.wake:
            self._waking.append(ticket)

    def _answer(self, ticket: Ticket, delivery: Delivery, now_ns: int) -> None:
        """To the caller now. A second answer is a fault's own mistake."""
        if ticket.delivery is not None:
            raise AssertionError(f"a fault answered call {ticket.call.n} twice")
        ticket.delivery = delivery
        ticket.at_ns = now_ns
        call = ticket.call
        reply = delivery if type(delivery) is Reply else None
        if call.kind != "write" and (call.kind != "read" or self.toolset.tools[call.tool].shows):
            body = reply.body if reply is not None and reply.status < 300 else None
            ticket.reveals = reveals(self.toolset, self._told, call, body)
        if self._waking and reply is not None:
            self._wake(ticket, reply, now_ns)

    def _wake(self, ticket: Ticket, reply: Reply, now_ns: int) -> None:
        """Land what is late right after the first negative answer about it, begun after its receipt was lost."""
        for waiting in [item for item in self._waking if item is not ticket]:
            late = waiting.call
            if waiting.closed_ns is None or ticket.call.t < waiting.closed_ns:
                continue
            told = reply.status < 300 and is_negative(ticket.reveals, late)
            busy = is_in_flight(reply.status, reply.body) and ticket.call.key == late.key
            if told or busy:
                self.agenda = [item for item in self.agenda if item[2] is not waiting]
                heapq.heapify(self.agenda)
                self._resume(waiting, now_ns)

    def _resume(self, ticket: Ticket, now_ns: int) -> None:
        if ticket in self._waking:
            self._waking.remove(ticket)
        self._step(ticket, now_ns)

    def next_due(self) -> int | None:
        """When the next script is due, for a transport that waits for an answer."""
        return self.agenda[0][0] if self.agenda else None

    def catch_up(self, to_ns: int) -> None:
        """Run every script that is due by then, each at its own time."""
        while self.agenda and self.agenda[0][0] <= to_ns:
            due_ns, _, ticket = heapq.heappop(self.agenda)
            self._resume(ticket, due_ns)

    def facts(self, paths: Mapping[str, Any]) -> dict[str, Any]:
        """The values at `table/row/member` now."""
        return {path: self.server.world.fact(path) for path in paths}
