"""One attempt's record: it numbers calls, hands them to the engine, and writes down what the caller got.

Every transport uses the same steps, so their histories are equal: `begin`, wait until the `arrival`, `finish`.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from faultlab.core.actions import Broken, Mangled, Reply, Silence
from faultlab.core.agent import CALL_COST
from faultlab.core.canonical import canonical, copy_json, identity_of
from faultlab.core.clock import Clock, ns
from faultlab.core.errors import AttemptOver, Hung
from faultlab.core.history import Brief
from faultlab.core.outcome import outcome_of_error, outcome_of_response
from faultlab.core.records import Call, Event, Outcome, Receipt
from faultlab.engine.engine import Engine, Ticket

SILENCE_NS = ns(3600)
"""How long a silent server holds a connection before it closes it."""

OVERRUN = 3
"""At this multiple of any budget the lab ends the attempt."""

ERRORS: Mapping[str, str] = {
    "refused": "ConnectError",
    "connect_timeout": "ConnectTimeout",
    "reset": "ReadError",
    "close": "RemoteProtocolError",
    "truncated": "RemoteProtocolError",
}
"""How a connection ends -> the exception that httpx raises for it."""

CONNECTING = frozenset({"refused", "connect_timeout"})
"""The ends of a connection that never came about. A caller's connect timeout holds for them."""


class Arrival(NamedTuple):
    """What reaches the caller, and when: a status (perhaps without a whole body) or an exception by name."""

    t: int
    status: int | None = None
    body: Any = None
    headers: Mapping[str, str] = {}
    error: str | None = None
    raw: str | None = None
    """The text of a body that does not decode."""


class Session:
    """The engine, the clock and the events of one attempt."""

    __slots__ = (
        "brief",
        "clock",
        "cost",
        "count",
        "engine",
        "events",
        "latency_ns",
        "limits",
        "patience_ns",
        "refused_hosts",
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
    ) -> Ticket:
        """A call leaves the caller. Raises AttemptOver at three times a budget."""
        now_ns = self.clock.now()
        self.check(now_ns)
        self.count = n = self.count + 1
        self.cost += CALL_COST
        declared = self.engine.toolset.tools[tool]
        identity = identity_of(declared.identity, args) if declared.identity else ""
        call = Call(n, now_ns, tool, declared.kind, copy_json(args), identity, key, reference, if_match, scope)
        self.events.append(call)
        return self.engine.submit(call, now_ns)

    def check(self, now_ns: int) -> None:
        """Refuse to go on with an attempt that has spent three times what it may."""
        calls, cost, at_ns = self.limits
        if self.count >= calls or self.cost >= cost or now_ns >= at_ns:
            raise AttemptOver(f"{self.count} calls, cost {self.cost:g}, {now_ns / 1e9:.1f} s: {OVERRUN} times a budget")

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
        if type(delivery) is Reply:
            at_ns = ticket.at_ns + self.latency_ns
            if deadline_ns is not None and at_ns > deadline_ns:
                return Arrival(deadline_ns, error="ReadTimeout")
            return Arrival(at_ns, delivery.status, delivery.body, delivery.headers)
        if delivery is None:
            due = deadline_ns is not None and self.clock.now() >= deadline_ns
            return Arrival(deadline_ns, error="ReadTimeout") if due and deadline_ns is not None else None
        if type(delivery) is Silence:
            if deadline_ns is None:
                raise self._hung(ticket)
            end_ns = ticket.sent_ns + SILENCE_NS
            return (
                Arrival(deadline_ns, error="ReadTimeout")
                if deadline_ns < end_ns
                else Arrival(end_ns, error="RemoteProtocolError")
            )
        at_ns = ticket.at_ns + self.latency_ns
        if isinstance(delivery, Broken) and delivery.how == "connect_timeout":
            at_ns = ticket.sent_ns + (self.patience_ns if patience_ns is None else patience_ns)
        if deadline_ns is not None and at_ns > deadline_ns:
            connecting = isinstance(delivery, Broken) and delivery.how in CONNECTING
            return Arrival(deadline_ns, error="ConnectTimeout" if connecting else "ReadTimeout")
        if isinstance(delivery, Mangled):
            return Arrival(at_ns, delivery.reply.status, None, delivery.reply.headers, None, mangled(delivery))
        assert isinstance(delivery, Broken)
        status = delivery.reply.status if delivery.reply is not None else None
        return Arrival(at_ns, status, error=ERRORS[delivery.how])

    def finish(self, ticket: Ticket, arrival: Arrival) -> Receipt:
        """The caller has it now: run what was due before, classify it and write it down."""
        engine, call = self.engine, ticket.call
        if engine.agenda:
            engine.catch_up(arrival.t)
        if arrival.error is not None:
            outcome = outcome_of_error(arrival.error)
            body = None
        else:
            body = arrival.body if arrival.raw is None else arrival.raw
            declared = engine.toolset.tools[call.tool]
            outcome = outcome_of_response(
                arrival.status or 0,
                body,
                fits=type(body) is dict,
                provisional=declared.provisional,
                ok_declared=declared.ok_declared,
                rejects_before_effect=self.brief.contract.rejects_before_effect,
            )
        return self.close(
            ticket,
            Receipt(
                call.n,
                arrival.t,
                outcome,
                arrival.status,
                body,
                arrival.headers,
                arrival.error,
                ticket.reveals,
            ),
        )

    def abandon(self, ticket: Ticket, error: str) -> Receipt:
        """The caller itself stopped waiting: cancelled, or its own deadline."""
        receipt = Receipt(ticket.call.n, self.clock.now(), Outcome.UNKNOWN, error=error, reveals=ticket.reveals)
        return self.close(ticket, receipt)

    def close(self, ticket: Ticket, receipt: Receipt) -> Receipt:
        ticket.closed_ns = receipt.t
        self.events.append(receipt)
        return receipt


def encoded(reply: Reply) -> str:
    """A reply's body as it stands on the wire."""
    return canonical(reply.body)


def mangled(delivery: Mangled) -> str:
    """The text that arrives instead: each letter turned into one that JSON cannot hold, or the first half."""
    text = encoded(delivery.reply)
    return text[: len(text) // 2] if delivery.how == "short" else "\x15" * len(text)
