"""One operation on its way: what was intended, what was sent, what is known, and what is left to spend."""

from collections.abc import Mapping
from itertools import takewhile
from typing import Any, NamedTuple

from faultlab.client.waits import ASK_AGAIN, BACK_OFF, seconds, wait_seeded_jitter
from faultlab.core.agent import Budget
from faultlab.core.canonical import identity_of
from faultlab.core.clock import NS, ns
from faultlab.core.contract import KEY_FIELD, REFERENCE_FIELD, Contract
from faultlab.core.entitled import (
    Left,
    Move,
    key_age_ns,
    protected,
    retry_after_ns,
    saved_failure,
    surface_productive,
)
from faultlab.core.handover import record_of
from faultlab.core.knowledge import Operation, is_replay
from faultlab.core.records import Call, HandOver, Outcome, ToolKind
from faultlab.core.seed import derive

Specs = Mapping[str, Mapping[str, Any]]


class Intent(NamedTuple):
    """One intended effect. `name` tells equal ones apart: order line 1, order line 2."""

    tool: str
    args: Mapping[str, Any]
    name: str
    ordinal: int = 1


SURFACES: Mapping[Move, ToolKind] = {Move.QUERY: "read", Move.STATUS: "status", Move.FENCE: "fence"}
"""What can be asked about an operation -> the kind of tool that answers."""


class Log:
    """The calls of one attempt, numbered as they reach the wire, and its recoveries: what one of them asks may tell
    another one something."""

    __slots__ = ("calls", "recoveries")

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.recoveries: list[Recovery] = []


class Recovery:
    """The state that the policy table looks at. `clock_s()` gives seconds since the attempt began."""

    def __init__(self, intent: Intent, task: Any, env: Any, log: Log) -> None:
        self.intent = intent
        self.env = env
        self.log = log
        self.specs: Specs = task.tools
        self.budget: Budget = task.budget
        spec = self.specs[intent.tool]
        self.contract = Contract.from_spec(spec["contract"])
        identity = identity_of(spec["identity"], intent.args)
        self.operation = Operation(intent.tool, identity, intent.ordinal)
        self.seed = derive(0, task.id, intent.name)
        parameters = spec["parameters"]["properties"]
        self.takes_key = KEY_FIELD in parameters
        self.takes_reference = REFERENCE_FIELD in parameters
        self.handle = f"{task.id}-{intent.name}"
        self.generation = 0
        """How often key and reference were replaced."""
        self._jitter = wait_seeded_jitter(BACK_OFF, self.seed)
        log.recoveries.append(self)

    @property
    def key(self) -> str | None:
        return f"{self.handle}-k{self.generation or ''}" if self.takes_key else None

    @property
    def reference(self) -> str | None:
        return f"{self.handle}-r{self.generation or ''}" if self.takes_reference else None

    def renew_handles(self) -> None:
        """Take a new key and reference where the old ones can do no more: barred by a fence, answered from the
        server's memory, or too old. Only for an operation that is known not to have happened."""
        operation, contract = self.operation, self.contract
        barred = not operation.tombs.isdisjoint({self.key, self.reference})
        if barred or (self.knowledge is Outcome.NOT_APPLIED and self._key_is_spent(contract)):
            self.generation += 1

    def _key_is_spent(self, contract: Contract) -> bool:
        rules, key, operation = contract.key, self.key, self.operation
        if rules is None or key is None or not any(call.key == key for call in operation.calls):
            return False
        last = operation.last_receipt
        if saved_failure(operation, contract) or (last is not None and is_replay(last, contract)):
            return True
        return rules.window_s is not None and key_age_ns(operation, key, self.now_ns) >= ns(rules.window_s)

    @property
    def now_ns(self) -> int:
        return ns(self.env.now())

    @property
    def knowledge(self) -> Outcome | None:
        return self.operation.knowledge

    @property
    def left(self) -> Left:
        return Left.of(self.budget, len(self.log.calls), self.now_ns)

    @property
    def retry_after_ns(self) -> int:
        return retry_after_ns(self.operation.last_receipt, self.now_ns)

    @property
    def sends(self) -> int:
        return len(self.operation.calls)

    @property
    def protected(self) -> bool:
        """A resend under the same key can have no second effect now."""
        return self.knowledge is Outcome.UNKNOWN and protected(self.operation, self.contract, self.now_ns)

    @property
    def settled_ns(self) -> int | None:
        """From when on a complete list is conclusive; None: never."""
        contract = self.contract
        if contract.settle_s is None or not contract.consistent_reads or not self.operation.calls:
            return None
        return self.operation.calls[-1].t + ns(contract.settle_s + contract.read_lag_s)

    def back_off_s(self) -> float:
        """How long to wait before the next send: growing, with jitter."""
        return seconds(self._jitter, max(1, self.sends))

    def asks(self, move: Move) -> bool:
        """Whether asking on this surface can still tell something."""
        return self.tool_for(move) is not None and surface_productive(self.operation, move, self.contract, self.left)

    def pause_s(self, move: Move) -> float:
        """How long to wait before asking there again: poll_s after an answer, longer after each failure."""
        operation, kind = self.operation, SURFACES[move]
        asked = [read for read in operation.reads if read.kind == kind and read.started_ns >= operation.last_unknown_ns]
        failures = sum(1 for _ in takewhile(lambda read: read.reveal is None, reversed(asked)))
        growing_s = seconds(ASK_AGAIN, failures) if failures else 0.0
        answered = [read.started_ns for read in asked if read.reveal is not None]
        return max(growing_s, self.until_s(answered[-1] + ns(self.contract.poll_s)) if answered else 0.0)

    def until_s(self, at_ns: int) -> float:
        """Seconds from now to a moment; 0 for one already past."""
        return max(0, at_ns - self.now_ns) / NS

    def within_budget_s(self, wait_s: float) -> float:
        """A wait, or what is left of the time budget where that is less."""
        return min(wait_s, self.until_s(ns(self.budget.seconds)))

    def tool_for(self, move: Move) -> str | None:
        """The tool of a surface: the status query, the fence, or the first read that tells about this write."""
        if move is Move.QUERY:
            return self._query_tool()
        kind = SURFACES[move]
        return next((name for name, spec in self.specs.items() if spec["kind"] == kind), None)

    def _query_tool(self) -> str | None:
        identity = self.specs[self.intent.tool]["identity"]
        for name, spec in self.specs.items():
            askable = set(identity) == set(spec["parameters"]["properties"])
            if self.intent.tool in spec.get("reveals", ()) and askable:
                return name
        return None

    def query_args(self) -> dict[str, Any]:
        return {name: self.intent.args[name] for name in self.specs[self.intent.tool]["identity"]}

    def supporting(self) -> tuple[int, ...]:
        """The call whose receipt proved the operation applied."""
        return (self.operation.applied,) if self.operation.applied else ()

    def record(self) -> HandOver:
        """All that a person needs to finish the operation."""
        return record_of(self.operation)
