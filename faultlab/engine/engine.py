"""The driver: it picks a call's fault, steps its script, and runs late scripts each at its own time.

`submit` and `catch_up` never wait. Time is a parameter; the transports wait.
"""

import heapq
from collections.abc import Mapping
from typing import Any

from faultlab.core.actions import Answer, Broken, Delivery, Down, Dribble, Fire, Reply, Script, Sleep, Slow, Unnote
from faultlab.core.contract import Contract
from faultlab.core.outcome import is_in_flight
from faultlab.core.records import Call, Effect, Event, Fired, Reveal
from faultlab.core.tools import Toolset
from faultlab.core.world import FrozenWorld, World
from faultlab.engine.aim import Aim
from faultlab.engine.past import Past
from faultlab.engine.perform import perform
from faultlab.engine.reveals import is_negative, reveals
from faultlab.engine.server import Server
from faultlab.faults.fault import Named
from faultlab.faults.plan import Plan, Planned


class Ticket:
    """A call in the hands of the engine. `delivery` is None until it is answered, at `at_ns`."""

    __slots__ = (
        "at_ns",
        "call",
        "closed_ns",
        "delivery",
        "forgets",
        "planned",
        "reveals",
        "script",
        "sent_ns",
    )

    def __init__(self, call: Call, now_ns: int) -> None:
        self.call = call
        self.sent_ns = now_ns
        self.delivery: Delivery | None = None
        self.at_ns = 0
        self.reveals: tuple[Reveal, ...] = ()
        self.script: Script | None = None
        self.planned: Planned | None = None
        self.forgets: tuple[str, ...] = ()
        """What falls out of the caller's notes when it gets its receipt."""
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
        self._aim = Aim(plan, self.server.toolset.tools, seed)
        self._struck: set[int] = set()
        self.past = Past(self.server) if any(item.looks_back for item in plan) else None
        """What reads may be shown instead of the present; None: no fault of the plan looks back."""
        self.down_until_ns = 0
        self._watched = set(self._aim.by_tool) if self.past is None else set(self.server.toolset.tools)
        """The tools whose calls are looked at more closely; those of all others are simply answered."""
        self._order = 0
        self._waking: list[Ticket] = []
        self._newer: list[Ticket] = []
        """Those of them that wait for a later call of their tool and identity, not for a negative answer."""

    @property
    def ledger(self) -> list[Effect]:
        return self.server.ledger

    def arm(self, planned: Planned) -> None:
        """One fault more, in an attempt under way."""
        self.plan = (*self.plan, planned)
        self._aim.add(planned, self.server.toolset.tools)
        self._watched.update(self._aim.by_tool)

    def disarm(self) -> None:
        """No fault strikes any more, and an outage is over. What has struck takes its course."""
        self.plan = ()
        self._aim.clear()
        self._struck.clear()
        self.down_until_ns = 0

    def submit(self, call: Call, now_ns: int, planned: Planned | None = None) -> Ticket:
        """Take a call at `now_ns`; what was due before it happens before it.

        `planned`: for a call made before the attempt, of which the plan knows nothing, what befell it.
        """
        if self.agenda:
            self.catch_up(now_ns)
        ticket = Ticket(call, now_ns)
        server = self.server
        if call.kind == "write":
            server.number(call)
        if planned is None and call.tool not in self._watched:
            self._answer(ticket, server.forward(call, now_ns), now_ns)
            return ticket
        if call.n > 0 and now_ns < self.down_until_ns:
            self._answer(ticket, Broken("refused"), now_ns)
            return ticket
        if call.n > 0:
            planned = self._aim.pick(call, now_ns, lambda: server.preview(call, now_ns).status < 300)
        if planned is not None:
            ticket.planned = planned
            ticket.script = planned.fault().run(call)
            self._step(ticket, now_ns)
        else:
            forward = server.forward if self.past is None else self.past.forward
            self._answer(ticket, forward(call, now_ns), now_ns)
        return ticket

    def _step(self, ticket: Ticket, now_ns: int) -> None:
        """Run a script to its next Sleep or its end."""
        script = ticket.script
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
            if isinstance(action, Sleep):
                self._sleep(ticket, action, now_ns)
                return
            if isinstance(action, Answer):
                self._answer(ticket, action.delivery, now_ns)
            elif isinstance(action, Fire):
                self._fire(ticket, now_ns)
            elif isinstance(action, Unnote):
                ticket.forgets = action.names
            elif isinstance(action, Down):
                self.down_until_ns = max(self.down_until_ns, action.until_ns)
                self._watched.update(self.server.toolset.tools)
            else:
                value = perform(self.server, self.past, action, now_ns)

    def _fire(self, ticket: Ticket, now_ns: int) -> None:
        assert ticket.planned is not None
        self._strike(ticket.call.n, ticket.planned, now_ns)

    def outage(self, planned: Planned, now_ns: int) -> None:
        """A port was closed for it: of the calls that will be turned away nobody hears.

        Once: a port that is opened anew in the middle of an outage, by a server that was started again, closes again.
        """
        if id(planned) not in self._struck:
            self._strike(0, planned, now_ns)

    def _strike(self, number: int, planned: Planned, now_ns: int) -> None:
        """A fault that strikes several calls is one planned fault: only the first stroke counts as required."""
        fault = planned.fault()
        symptom = fault.look if isinstance(fault, Named) else planned.symptom
        required = planned.required and id(planned) not in self._struck
        self._struck.add(id(planned))
        self._events.append(Fired(number, now_ns, fault.name, fault.phase, symptom, required))

    def _sleep(self, ticket: Ticket, action: Sleep, now_ns: int) -> None:
        self._order += 1
        due_ns = max(now_ns, ticket.sent_ns + action.wait_ns)
        heapq.heappush(self.agenda, (due_ns, self._order, ticket))
        if action.wake or action.newer:
            self._waking.append(ticket)
        if action.newer:
            self._newer.append(ticket)

    def _answer(self, ticket: Ticket, delivery: Delivery, now_ns: int) -> None:
        """To the caller now. A second answer is a fault's own mistake."""
        if ticket.delivery is not None:
            raise AssertionError(f"a fault answered call {ticket.call.n} twice")
        ticket.delivery = delivery
        ticket.at_ns = now_ns
        call = ticket.call
        reply: Reply | None = None
        if type(delivery) is Reply:
            reply = delivery
        elif isinstance(delivery, Slow | Dribble):
            reply = delivery.reply
        if call.kind != "write" and (call.kind != "read" or self.toolset.tools[call.tool].shows):
            body = reply.body if reply is not None and reply.status < 300 else None
            headers = reply.headers if reply is not None else {}
            ticket.reveals = reveals(self.toolset, self._told, call, body, headers)
        if self._waking and reply is not None:
            self._wake(ticket, reply, now_ns)

    def unread(self, ticket: Ticket) -> None:
        """The answer of a read came too late for its caller: it tells what was asked, and nothing else."""
        if ticket.reveals and isinstance(ticket.delivery, Reply | Slow | Dribble):
            ticket.reveals = reveals(self.toolset, self._told, ticket.call, None, {})

    def _wake(self, ticket: Ticket, reply: Reply, now_ns: int) -> None:
        """Land what is late right after the first negative answer about it, begun after its receipt was lost."""
        for waiting in [item for item in self._waking if item is not ticket]:
            if waiting.closed_ns is None or ticket.call.t < waiting.closed_ns:
                continue
            wakes = _overtakes if waiting in self._newer else _denies
            if wakes(ticket, reply, waiting.call):
                self.agenda = [item for item in self.agenda if item[2] is not waiting]
                heapq.heapify(self.agenda)
                self._resume(waiting, now_ns)

    def _resume(self, ticket: Ticket, now_ns: int) -> None:
        for waiting in (self._waking, self._newer):
            if ticket in waiting:
                waiting.remove(ticket)
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


def _overtakes(ticket: Ticket, reply: Reply, late: Call) -> bool:
    """The same operation was done by a later call."""
    return reply.status < 300 and (ticket.call.tool, ticket.call.identity) == (late.tool, late.identity)


def _denies(ticket: Ticket, reply: Reply, late: Call) -> bool:
    """An answer about a pending call that does not show its effect."""
    call = ticket.call
    told = reply.status < 300 and call.scope in (None, late.scope) and is_negative(ticket.reveals, late)
    return told or (is_in_flight(reply.status, reply.body) and call.key == late.key)
