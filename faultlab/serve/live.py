"""One session: a tool server of its own, from its order to its verdict."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from faultlab.core.clock import RealClock, day_of, wall_time
from faultlab.core.history import History
from faultlab.core.records import Claim, Fired
from faultlab.core.verdict import Verdict
from faultlab.engine.session import Session
from faultlab.faults.plan import Planned
from faultlab.matrix.accepted import accepted
from faultlab.matrix.attempt import Conditions, Ended, close_attempt, surroundings
from faultlab.matrix.run import Judge, judged
from faultlab.serve.changes import Change, fault_of
from faultlab.serve.order import Order


class Live:
    """A session between its first call and its end. Times are the session's own seconds."""

    __slots__ = (
        "address", "ask", "calls", "changes", "created", "effects", "history", "id", "order", "session", "task",
        "verdict",
    )  # fmt: skip

    def __init__(self, session_id: str, order: Order, created: float, changes: Iterable[Change] = ()) -> None:
        self.id = session_id
        self.order = order
        self.created = created
        self.changes = list(changes)
        """What has been changed of its plan since it was opened."""
        self.address: tuple[str, int] | None = None
        """Host and port of its own, where its plan closes one; None: it is served on the data port."""
        conditions = Conditions(order.seed, "real")
        session, self.task, env = surroundings(order.group, order.twin, order.attempt, conditions)
        session.latency_ns = 0
        session.clock = RealClock(1 / order.time_scale, wall_time() - created)
        self.ask = env.ask_user
        self.session: Session | None = session
        """None once it has ended: world, key records and scripts are freed."""
        self.calls = 0
        self.effects = 0
        self.history: History | None = None
        self.verdict: Verdict | None = None

    @property
    def ended(self) -> bool:
        return self.history is not None

    def end(self, claim: Claim | None, judge: Judge) -> Verdict:
        """Take the claim, let everything land that still can, and judge. A second end changes nothing.

        What the scenario accepts counts as on the day on which the session was opened, so that one that is built again
        from its store is judged alike.
        """
        if self.verdict is None:
            session = self.session
            assert session is not None
            ended = Ended("claimed", claim) if claim is not None else Ended("crashed", None, "it was ended unclaimed")
            self.calls, self.effects = session.count, len(session.engine.ledger)
            self.history = close_attempt(session, ended, ())
            ignored = accepted(self.order.group.scenario.ignore, day_of(self.created))
            self.verdict = judged(judge, self.history, ignored)
            self.session = None
        return self.verdict

    def totals(self) -> tuple[int, int]:
        """Calls and effects so far."""
        if self.session is None:
            return self.calls, self.effects
        return self.session.count, len(self.session.engine.ledger)

    def events(self) -> list[Any]:
        """What has happened so far, in order."""
        if self.history is not None:
            return list(self.history.events)
        assert self.session is not None
        return list(self.session.events)

    def ledger(self) -> list[Any]:
        """The ground truth so far."""
        if self.history is not None:
            return list(self.history.ledger)
        assert self.session is not None
        return list(self.session.engine.ledger)

    def change(self, change: Change) -> None:
        """Arm the faults that a change adds; without any: disarm all."""
        session = self.session
        assert session is not None
        faults = [self.fault(item) for item in change.faults]
        for planned in faults:
            session.engine.arm(planned)
        if not faults:
            session.engine.disarm()
            struck = [event for event in session.events if type(event) is Fired]
            required = sum(event.required for event in struck)
            session.brief = replace(session.brief, required_faults=required, armed_faults=0)
            return
        required = session.brief.required_faults + sum(item.required for item in faults)
        armed = session.brief.armed_faults + sum(not item.required for item in faults)
        session.brief = replace(session.brief, required_faults=required, armed_faults=armed)

    def fault(self, data: Any) -> Planned:
        """An entry of a plan as a fault of this session. Raises Unfit with all that is wrong with it."""
        assert self.session is not None
        return fault_of(data, self.order, self.session.engine, shared=self.address is None)

    def catch_up(self) -> None:
        """Let happen what is due by now."""
        if self.session is not None:
            self.session.engine.catch_up(self.session.clock.now())
