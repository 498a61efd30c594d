"""One lab's record, in front of something: calls as they were asked, receipts as they came."""

import asyncio
from collections.abc import Callable, Mapping
from typing import TypeVar

from faultlab.api.bridge import await_here, in_bridge, started
from faultlab.api.callers_clock import CallersClock
from faultlab.api.fault_spec import LATE_S
from faultlab.api.front import Front
from faultlab.api.relay import ANSWER, Answered, RelayEngine, plain
from faultlab.core.actions import Reply
from faultlab.core.canonical import copy_json
from faultlab.core.clock import NS, LoopClock
from faultlab.core.errors import BadInput
from faultlab.core.history import Brief
from faultlab.core.outcome import outcome_of_exception, outcome_of_response
from faultlab.core.records import Event, Outcome, Receipt
from faultlab.engine.arrival import Arrival
from faultlab.engine.engine import Ticket
from faultlab.engine.session import Session
from faultlab.transports.begin import begun
from faultlab.transports.codec import Asked
from faultlab.transports.wait import wait

T = TypeVar("T")

REAL_S = 5.0
"""How long the end of a run waits in real time for what was left at work."""


class FrontSession(Session):
    """A session whose calls are executed behind the lab."""

    __slots__ = ("front", "left", "names", "turns")
    clock: CallersClock
    engine: RelayEngine
    names: dict[int, Mapping[str, str]]
    """Call -> the exceptions that its caller knows for ReadTimeout and so on."""

    def __init__(
        self,
        front: Front,
        engine: RelayEngine,
        clock: CallersClock,
        brief: Brief,
        events: list[Event],
        *,
        latency_s: float,
    ) -> None:
        super().__init__(engine, clock, brief, events, latency_s=latency_s)
        self.turns = clock.turns
        self.front = front
        self.names = {}
        self.left: list[asyncio.Future[Ticket]] = []
        """Calls whose callers gave up while what is behind the lab still worked."""

    def exchange(
        self,
        asked: Asked,
        work: Callable[[], Answered],
        patience: Callable[[Ticket | None], int | None],
        names: Mapping[str, str] | None = None,
    ) -> tuple[Ticket | None, Receipt]:
        """A call leaves the caller and is held until its receipt is there; `work` executes it.

        `patience`: how long the caller waits, in ns, for this ticket; for one that is still at work (None). Without
        a ticket in the result the caller has given up while what is behind the lab still worked.
        Raises AttemptOver at three times a budget.
        """
        if not in_bridge():
            ticket = self._begun(asked, work, names)
            return ticket, self._waited(ticket, patience(ticket))
        opening = self.turns.apart(lambda: started(self._opened, asked, work, names))
        if not opening.done() and (given_up := self._at_work(opening, patience(None))) is not None:
            return None, given_up
        ticket = opening.result()
        return ticket, self._waited(ticket, patience(ticket))

    def asked_for(self, ask: Callable[[], T]) -> T:
        """The result of a step that may find a mistake of the test's author. Such a BadInput is kept, for the code
        under test may catch it: the attempt then says nothing, and the end of its run raises it again."""
        try:
            return ask()
        except BadInput as error:
            self.engine.server.broken = self.engine.server.broken or error
            raise

    def _begun(self, asked: Asked, work: Callable[[], Answered], names: Mapping[str, str] | None) -> Ticket:
        number = self.count + 1
        if names is not None:
            self.names[number] = names
        if asked.tool not in self.front.own:
            self.engine.server.work[number] = lambda: self.turns.apart(work)
        return begun(self, asked)

    def begun_by_wire(self, asked: Asked, work: Callable[[], Answered]) -> Ticket:
        """A call that came over a socket, from a thread that holds the turn. Raises AttemptOver."""
        return self._begun(asked, work, None)

    def gave_up(self, number: int, error: str) -> int:
        """The caller has gone while what is behind the lab still works on its call. When that was, in ns."""
        at_ns = self.clock.now()
        self._note(Receipt(number, at_ns, Outcome.UNKNOWN, error=error))
        return at_ns

    def _opened(self, asked: Asked, work: Callable[[], Answered], names: Mapping[str, str] | None) -> Ticket:
        """The same on its own, where the caller may give up while it waits."""
        with self.turns:
            return self._begun(asked, work, names)

    def _waited(self, ticket: Ticket, patience_ns: int | None) -> Receipt:
        """Its cancellation leaves the call running behind the lab."""
        try:
            return wait(self, ticket, patience_ns)
        except asyncio.CancelledError:
            self.abandon(ticket, "CancelledError")
            raise

    def _at_work(self, opening: "asyncio.Future[Ticket]", patience_ns: int | None) -> Receipt | None:
        """Wait while an async app works; the receipt if the caller gives up meanwhile, which leaves the app at work."""
        number = self.count
        left_s = None if patience_ns is None or not self.clock.runs_by_itself else patience_ns / NS
        try:
            self.turns.apart(lambda: await_here(asyncio.wait({opening}, timeout=left_s)))
        except asyncio.CancelledError:
            self._leave(opening, number, "CancelledError")
            raise
        return None if opening.done() else self._leave(opening, number, "ReadTimeout")

    def _leave(self, opening: "asyncio.Future[Ticket]", number: int, error: str) -> Receipt:
        at_ns = self.clock.now()
        opening.add_done_callback(lambda future: _closed(future, at_ns))
        self.left.append(opening)
        receipt = Receipt(number, at_ns, Outcome.UNKNOWN, error=error)
        self._note(receipt)
        return receipt

    def _note(self, receipt: Receipt) -> None:
        known = self.names.get(receipt.call, {}).get(receipt.error or "", receipt.error)
        self.events.append(plain(receipt._replace(error=known)))

    async def settle(self) -> None:
        """Let what is still at work come to its end, for as long as a late call may take, or a few real seconds."""
        if self.left:
            wait_s = LATE_S if isinstance(self.clock.inner, LoopClock) else REAL_S
            await asyncio.wait(self.left, timeout=wait_s)

    def answer(self, ticket: Ticket) -> Answered | None:
        """What came from behind the lab and was delivered; None: the answer is the lab's own, or none came."""
        delivery = ticket.delivery
        return self.answer_of(delivery) if type(delivery) is Reply else None

    def answer_of(self, reply: Reply) -> Answered | None:
        """What came from behind the lab for this reply; None: it is the lab's own."""
        number = reply.headers.get(ANSWER)
        return None if number is None else self.engine.server.answers[int(number)]

    def finish(self, ticket: Ticket, arrival: Arrival) -> Receipt:
        """The caller has it now. What came from behind the lab fits by definition: the lab does not know its form."""
        arrival = arrival._replace(t=max(arrival.t, self.clock.now()))
        answer = None if arrival.error is not None else self.answer(ticket)
        if answer is None:
            return super().finish(ticket, arrival)
        if self.engine.agenda:
            self.engine.catch_up(arrival.t)
        call, raw = ticket.call, answer.raw
        if isinstance(raw, BaseException):
            error = type(raw).__name__
            outcome = Outcome.NOT_APPLIED if answer.status < 500 else outcome_of_exception(raw)
            return self.close(ticket, Receipt(call.n, arrival.t, outcome, error=error, reveals=ticket.reveals))
        outcome = outcome_of_response(
            answer.status,
            answer.body,
            provisional=self.front.toolset.tools[call.tool].provisional,
            rejects_before_effect=self.brief.contract.rejects_before_effect,
        )
        body, headers = copy_json(answer.body), arrival.headers
        receipt = Receipt(call.n, arrival.t, outcome, answer.status, body, headers, None, ticket.reveals)
        return self.close(ticket, receipt)

    def close(self, ticket: Ticket, receipt: Receipt) -> Receipt:
        """The record of a receipt; its error by the name that the caller knows."""
        known = self.names.get(receipt.call, {}).get(receipt.error or "", receipt.error)
        super().close(ticket, plain(receipt._replace(error=known)))
        return receipt


def _closed(opening: "asyncio.Future[Ticket]", at_ns: int) -> None:
    """The caller of this ticket had gone when it was answered."""
    if not opening.cancelled() and opening.exception() is None:
        opening.result().closed_ns = at_ns
