"""Rebuild a session from its stored events: its calls happen again, each at its own time.

The engine is deterministic, so the same calls, at the same times, with the same receipts, give the same world, key
records, ledger and scripts that still wait to be done.
"""

from collections import deque
from typing import Any

from faultlab.core.agent import CALL_COST
from faultlab.core.errors import HarnessFault
from faultlab.core.records import Ask, Call, Claim, Crashed, Fired, Receipt
from faultlab.core.trace import event_from_json
from faultlab.engine.engine import Ticket
from faultlab.engine.listening import silent_at
from faultlab.records.served import Stored
from faultlab.serve.live import Live


class Rebuilder:
    """Brings one session up to what a store holds of it."""

    __slots__ = ("_live", "_tickets", "_waiting", "claim")

    def __init__(self, live: Live) -> None:
        self._live = live
        self.claim: Claim | None = None
        """The claim that was among the events: the session has ended."""
        self._tickets: dict[int, Ticket] = {}
        self._waiting = deque(live.changes)

    def take(self, stored: Stored) -> None:
        """Let further events happen. Raises HarnessFault where they do not give what is stored."""
        session = self._live.session
        assert session is not None
        count = len(session.events)
        for data in stored.events:
            while self._waiting and self._waiting[0].after <= count:
                self._live.change(self._waiting.popleft())
            count += 1
            self._take(event_from_json(data))
        while self._waiting:
            self._live.change(self._waiting.popleft())
        given = len(session.events) + (self.claim is not None)
        if given != count:
            raise self._other(f"{count} events are stored, and their calls gave {given}")
        if self.claim is None:  # else the end of the session lets land what does
            session.engine.catch_up(stored.landed_ns)
            if len(session.engine.ledger) < stored.effects:
                raise self._other(
                    f"{stored.effects} effects are stored, and its calls had {len(session.engine.ledger)}"
                )

    def _other(self, what: str) -> HarnessFault:
        return HarnessFault(
            f"session {self._live.id}: {what}. "
            "The store was written by another version of faultlab or with another toolset: serve it with that one"
        )

    def _take(self, event: Any) -> None:
        session = self._live.session
        assert session is not None
        kind = type(event)
        if kind is Call:
            session.count = max(session.count, event.n)
            session.cost += CALL_COST
            session.events.append(event)
            self._tickets[event.n] = session.engine.submit(event, event.t)
        elif kind is Receipt:
            ticket = self._tickets.pop(event.call)
            session.engine.catch_up(event.t)
            if event.error is not None:
                session.engine.unread(ticket)
            session.close(ticket, event)
        elif kind is Ask:
            self._live.ask(event.question)
            session.events[-1] = event
        elif kind is Crashed:
            session.events.append(event)
            session.crash = event
        elif kind is Claim:
            self.claim = event
        elif kind is Fired and not event.call:
            silent = silent_at(session.engine, event.t)
            if silent is not None and silent.planned is not None:
                session.engine.outage(silent.planned, event.t)
        else:  # it follows from these, at the latest when it is time for it
            session.engine.catch_up(event.t)
