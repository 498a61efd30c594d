"""One recovery on the real engine: a random past, then the policy table, with every step compared with `entitled`."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from attempts import Attempt
from hypothesis import strategies as st

from faultlab.client.execute import drive, recover
from faultlab.client.policy import TABLE, Policy
from faultlab.client.recovery import SURFACES, Intent, Log, Recovery
from faultlab.client.steps import Invoke, Sleep, Steps, Stop
from faultlab.core.agent import Budget, Task
from faultlab.core.clock import NS, ns
from faultlab.core.contract import Contract
from faultlab.core.entitled import Entitlement, Move, entitled
from faultlab.core.operation import Operation
from faultlab.core.protection import key_in_use
from faultlab.core.records import Outcome
from faultlab.core.tools import Refused
from faultlab.faults.plan import Planned
from faultlab.matrix.env import LabEnv

REFUND = Intent("refund_order", {"order_id": "A17", "amount": "40.00"}, "refund-A17")
DAY_S = 86_400.0

budgets = st.builds(
    Budget,
    calls=st.sampled_from([6, 9, 14, 30]),
    seconds=st.sampled_from([20.0, 90.0, 400.0, 2 * DAY_S]),
    cost=st.sampled_from([8.0, 16.0, 40.0]),
)
pasts = st.lists(
    st.sampled_from(["send", "send", "send without key", "list", "status", "fence"])
    | st.sampled_from([0.3, 4.0, 6.0, 31.0, 200.0, DAY_S]),
    max_size=7,
)
"""What was done before the table takes over: calls by name, and waits in seconds."""


class Trial:
    """A recovery, its server, and what the judge's fold makes of the same events."""

    def __init__(self, contract: Contract, plan: tuple[Planned, ...] = (), budget: Budget | None = None) -> None:
        self.attempt = Attempt(contract, plan)
        session = self.attempt.session
        specs = {name: tool.spec(contract) for name, tool in session.engine.toolset.tools.items()}
        self.task = Task("t1", "", {}, budget or Budget(30, 400, 40), specs)
        self.recovery = Recovery(REFUND, self.task, LabEnv(session), Log())
        self.rows: list[str] = []

    @property
    def session(self) -> Any:
        return self.attempt.session

    def refuse_with(self, status: int) -> None:
        """From now on the refund tool answers with this status and changes nothing."""

        def refuse(world: Any, order_id: str, amount: str) -> dict[str, Any]:
            raise Refused(status, "no", "no")

        engine = self.session.engine
        tools = engine.toolset.tools
        refusing = replace(tools["refund_order"], function=refuse)
        engine.toolset = engine.server.toolset = replace(engine.toolset, tools={**tools, "refund_order": refusing})

    def run(self, past: Iterable[str | float] = (), table: Policy = TABLE) -> Stop:
        noted = tuple(row._replace(move=self._noting(row.name, row.move)) for row in table)
        return drive(self.recovery, self._all(past, noted))

    def _noting(self, name: str, move: Any) -> Any:
        def noted(recovery: Recovery) -> Steps:
            self.rows.append(name)
            return move(recovery)  # type: ignore[no-any-return]  # a row's move

        return noted

    def _all(self, past: Iterable[str | float], table: Policy) -> Steps:
        for item in past:
            if isinstance(item, float):
                yield Sleep(item)
            elif (step := self._step(item)) is not None:
                yield step
            self.compare_knowledge()
        return (yield from self._checked(recover(self.recovery, table)))

    def _step(self, name: str) -> Invoke | None:
        recovery, intent = self.recovery, self.recovery.intent
        if name.startswith("send"):
            key = recovery.key if name == "send" else None
            return Invoke(intent.tool, intent.args, key, recovery.reference)
        if name == "list":
            return Invoke("list_refunds", recovery.query_args())
        tool = recovery.tool_for(Move.STATUS if name == "status" else Move.FENCE)
        return None if tool is None else Invoke(tool, {"reference": recovery.key or recovery.reference})

    def _checked(self, steps: Steps) -> Steps:
        value = None
        while True:
            try:
                step = steps.send(value)
            except StopIteration as end:
                self.check_stop(end.value)
                return end.value  # type: ignore[no-any-return]  # of Steps
            self.check(step)
            value = yield step
            self.compare_knowledge()

    def entitlement(self) -> Entitlement:
        recovery = self.recovery
        offered = frozenset(move for move in SURFACES if recovery.tool_for(move) is not None)
        return entitled(recovery.operation, recovery.contract, recovery.left, offered)

    def check(self, step: Invoke | Sleep) -> None:
        """Each call is permitted and productive when it leaves; no wait passes the budget."""
        if isinstance(step, Sleep):
            end_ns = self.recovery.now_ns + ns(step.wait_s)
            assert step.wait_s > 0
            assert end_ns <= ns(self.recovery.budget.seconds)
            assert self.recovery.left.affords()
            return
        move = self.move_of(step)
        may = self.entitlement()
        assert move in may.permitted, (move, may)
        assert move in may.productive, (move, may)

    def check_stop(self, stop: Stop) -> None:
        """Nothing productive is left, and the status follows from what is known."""
        may = self.entitlement()
        assert not may.productive, (stop, may)
        assert stop.status in may.stops, (stop, may)

    def move_of(self, step: Invoke) -> Move:
        operation = self.recovery.operation
        if step.tool != REFUND.tool:
            kind = self.recovery.specs[step.tool]["kind"]
            return next(move for move, answered_by in SURFACES.items() if answered_by == kind)
        known = operation.knowledge is not Outcome.UNKNOWN
        return Move.SEND_SAME_KEY if known or step.key == key_in_use(operation) is not None else Move.SEND_UNKEYED

    def compare_knowledge(self) -> None:
        """The client's own fold, from bodies and errors, is the judge's, from receipts and what reads reveal."""
        self.attempt.fold()
        folded = self.attempt.knowledge.operations
        assert len(folded) == bool(self.recovery.operation.calls)
        if folded:
            assert facts(self.recovery.operation) == facts(folded[0])

    @property
    def now_s(self) -> float:
        return float(self.session.clock.now() / NS)


def facts(operation: Operation) -> dict[str, Any]:
    """All that is known of an operation. Of a refusal and a receipt, whose they are: a result bears no headers."""
    refusal, last = operation.refusal, operation.last_receipt
    return {
        # When a key was first sent is written into the request by the transport.
        "calls": [call._replace(first_sent_ns=None) for call in operation.calls],
        "handles": operation.handles,
        "open": operation.open,
        "applied": operation.applied,
        "refusal": refusal and (refusal.call, refusal.status),
        "settled_by": operation.settled_by,
        "last": last and (last.call, last.outcome, last.status, last.error),
        "unknown": operation.last_unknown_ns,
        "reads": operation.reads,
        "tombs": operation.tombs,
        "disputed": operation.disputed,
        "failed": operation.failed,
    }
