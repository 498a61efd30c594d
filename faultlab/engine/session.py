"""One attempt's record: it numbers calls, hands them to the engine, and writes down what the caller got.

Every transport uses the same steps, so their histories are equal: `begin`, wait until the `arrival`, `finish`.
"""

import asyncio
from collections.abc import Mapping, MutableMapping
from typing import Any

from faultlab.core.actions import Died, Reply
from faultlab.core.agent import CALL_COST, Crash
from faultlab.core.canonical import copy_json
from faultlab.core.clock import Clock, ns
from faultlab.core.errors import AttemptOver, Hung
from faultlab.core.history import Brief
from faultlab.core.outcome import outcome_of_error, outcome_of_response
from faultlab.core.records import Call, Crashed, Event, Forgot, Outcome, Receipt, Sight
from faultlab.engine.arrival import CRASH, Arrival, Patience, arrival_of
from faultlab.engine.engine import Engine, Ticket
from faultlab.engine.sights import sights
from faultlab.faults.plan import Planned

OVERRUN = 3
"""At this multiple of any budget the lab ends the attempt."""


new_record = tuple.__new__
"""Makes a NamedTuple from all its values, without the function that fills in defaults: half the price, and every call
makes two."""


class Session:
    """The engine, the clock and the events of one attempt."""

    __slots__ = (
        "_died_in",
        "brief",
        "clock",
        "cost",
        "count",
        "crash",
        "engine",
        "events",
        "latency_ns",
        "limits",
        "notes",
        "patience_ns",
        "refused_hosts",
        "went_on",
    )

    def __init__(
        self,
        engine: Engine,
        clock: Clock,
        brief: Brief,
        events: list[Event],
        *,
        latency_s: float = 0.05,
        patience_s: float = 5.0,
    ) -> None:
        self.engine = engine
        self.clock = clock
        self.brief = brief
        self.events = events
        self.latency_ns = ns(latency_s)
        self.patience_ns = ns(patience_s)
        self.count = 0
        self.cost = 0.0
        self.crash: Crashed | None = None
        """Set while the caller's process is dead: nothing reaches the lab, and no receipt is seen."""
        self._died_in: object = None
        self.went_on = False
        """Whoever was told of the crash has caught it and called again."""
        self.notes: MutableMapping[str, Any] = {}
        """The agent's notes, from which a fault may take entries."""
        self.refused_hosts: list[str] = []
        """Hosts that the agent's HTTP client was sent to instead of the lab."""
        budget = brief.budget
        self.limits = (OVERRUN * budget.calls, OVERRUN * budget.cost, OVERRUN * ns(budget.seconds))

    def begin(
        self,
        tool: str,
        args: Mapping[str, Any],
        *,
        key: str | None = None,
        reference: str | None = None,
        if_match: str | None = None,
        scope: str | None = None,
        first_sent_ns: int | None = None,
        planned: Planned | None = None,
        resent: int = 0,
    ) -> Ticket:
        """A call leaves the caller. Raises AttemptOver at three times a budget."""
        now_ns = self.clock.now()
        calls, cost, at_ns = self.limits
        if self.crash is not None or self.count >= calls or self.cost >= cost or now_ns >= at_ns:
            self._refuse(now_ns)
        self.count = n = self.count + 1
        self.cost += CALL_COST
        declared = self.engine.toolset.tools[tool]
        identity, items = declared.meant(args)
        if declared.scope is not None and scope is None:
            scope = declared.place(args)
        copied = copy_json(args)
        call = new_record(
            Call,
            (n, now_ns, tool, declared.kind, copied, identity, key, reference, if_match, scope, first_sent_ns, items,
             resent),
        )  # fmt: skip
        self.events.append(call)
        return self.engine.submit(call, now_ns, planned)

    def _refuse(self, now_ns: int) -> None:
        """A call that may not leave."""
        if self.crash is not None:
            self.went_on = self.went_on or self._died_in is _task()
        self.check(now_ns)

    def check(self, now_ns: int) -> None:
        """Refuse to go on with an attempt that has spent three times what it may, or in a process that is dead."""
        self.alive()
        calls, cost, at_ns = self.limits
        if self.count >= calls or self.cost >= cost or now_ns >= at_ns:
            raise AttemptOver(f"{self.count} calls, cost {self.cost:g}, {now_ns / 1e9:.1f} s: {OVERRUN} times a budget")

    def alive(self) -> None:
        """A dead process does nothing. Raises Crash."""
        if self.crash is not None:
            raise Crash(f"the process of the agent died at call {self.crash.call}")

    def revive(self) -> None:
        """The process is started again."""
        self.crash, self._died_in, self.went_on = None, None, False

    def next_look(self, ticket: Ticket, patience_ns: int | None) -> int:
        """When to look again at a ticket without an answer: the next due script, or the caller's deadline."""
        due_ns = self.engine.next_due()
        deadline_ns = None if patience_ns is None else ticket.sent_ns + patience_ns
        if due_ns is None and deadline_ns is None:
            raise self._hung(ticket)
        return min(moment for moment in (due_ns, deadline_ns) if moment is not None)

    def _hung(self, ticket: Ticket) -> Hung:
        return Hung(f"call {ticket.call.n} ({ticket.call.tool}) has no timeout and gets no answer")

    def arrival(self, ticket: Ticket, patience_ns: int | None) -> Arrival | None:
        """What the caller will have, and when; None while that is open.

        Raises Hung where nothing comes and the caller has no patience set.
        """
        delivery = ticket.delivery
        deadline_ns = None if patience_ns is None else ticket.sent_ns + patience_ns
        if type(delivery) is Reply:  # the usual case, without a detour
            at_ns = ticket.at_ns + self.latency_ns
            if deadline_ns is not None and at_ns > deadline_ns:
                return Arrival(deadline_ns, error="ReadTimeout")
            return Arrival(at_ns, delivery.status, delivery.body, delivery.headers)
        if delivery is None:
            due = deadline_ns is not None and self.clock.now() >= deadline_ns
            return Arrival(deadline_ns, error="ReadTimeout") if due and deadline_ns is not None else None
        connect_ns = self.patience_ns if patience_ns is None else patience_ns
        patience = Patience(ticket.sent_ns, ticket.at_ns + self.latency_ns, patience_ns, connect_ns)
        arrival = arrival_of(delivery, patience)
        if arrival is None:
            raise self._hung(ticket)
        return arrival

    def finish(self, ticket: Ticket, arrival: Arrival) -> Receipt:
        """The caller has it now: run what was due before, classify it and write it down."""
        engine, call = self.engine, ticket.call
        if engine.agenda:
            engine.catch_up(arrival.t)
        if arrival.error == CRASH:
            raise self._dies(ticket, arrival.t)
        shown: tuple[Sight, ...] = ()
        if arrival.error is not None:
            engine.unread(ticket)
            outcome = outcome_of_error(arrival.error)
            body = None
        else:
            body = arrival.body if arrival.raw is None else arrival.raw
            declared = engine.toolset.tools[call.tool]
            rejects = self.brief.contract.rejects_before_effect
            simple = type(body) is dict and not (declared.provisional or declared.ok_declared or rejects)
            if arrival.status == 200 and simple:
                outcome = Outcome.APPLIED  # the usual case of `outcome_of_response`, without the call
            else:
                outcome = outcome_of_response(
                    arrival.status or 0,
                    body,
                    fits=type(body) is dict,
                    provisional=declared.provisional,
                    ok_declared=declared.ok_declared,
                    rejects_before_effect=rejects,
                )
            if declared.versioned is not None or declared.revised is not None:
                shown = sights(declared, call, arrival.status, body, arrival.headers)
        t, status, headers, error = arrival.t, arrival.status, arrival.headers, arrival.error
        receipt = new_record(Receipt, (call.n, t, outcome, status, body, headers, error, ticket.reveals, shown))
        return self.close(ticket, receipt)

    def _dies(self, ticket: Ticket, at_ns: int) -> Crash:
        """The caller's process ends here, without this call's receipt."""
        assert isinstance(ticket.delivery, Died)
        ticket.closed_ns = at_ns
        self.crash = Crashed(at_ns, ticket.call.n, ticket.delivery.journal)
        self.events.append(self.crash)
        self._died_in = _task()
        return Crash(f"the process of the agent died at call {ticket.call.n} ({ticket.call.tool})")

    def abandon(self, ticket: Ticket, error: str) -> Receipt:
        """The caller itself stopped waiting: cancelled, or its own deadline."""
        receipt = Receipt(ticket.call.n, self.clock.now(), Outcome.UNKNOWN, error=error, reveals=ticket.reveals)
        return self.close(ticket, receipt)

    def close(self, ticket: Ticket, receipt: Receipt) -> Receipt:
        ticket.closed_ns = receipt.t
        if self.crash is not None:
            return receipt  # a dead process sees nothing
        self.events.append(receipt)
        if ticket.forgets:
            self.forget(ticket.forgets, receipt.t)
        return receipt

    def forget(self, names: tuple[str, ...], now_ns: int) -> None:
        """Take entries out of the agent's notes."""
        for name in names:
            self.notes.pop(name, None)
        self.events.append(Forgot(now_ns, names))


def _task() -> object:
    """The running asyncio task; None for a synchronous caller."""
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None
