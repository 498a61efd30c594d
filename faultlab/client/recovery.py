"""One operation on its way: what was intended, what was sent, what is known, and what is left to spend."""

from collections.abc import Mapping
from itertools import takewhile
from typing import Any, NamedTuple

from faultlab.client.source import Approval, Source
from faultlab.client.steps import Invoke
from faultlab.client.terms import terms_of
from faultlab.client.waits import ASK_AGAIN, BACK_OFF, seconds, wait_seeded_jitter
from faultlab.core.agent import Budget
from faultlab.core.canonical import identity_of
from faultlab.core.clock import NS, ns
from faultlab.core.contract import CONDITION_FIELD, KEY_FIELD, REFERENCE_FIELD, Contract
from faultlab.core.entitled import Left, Move, poll_s, sends_again, surface_productive
from faultlab.core.handover import record_of, sent_call, sent_name, sent_record
from faultlab.core.operation import Operation, is_replay
from faultlab.core.protection import key_age_ns, promised, protected, saved_failure
from faultlab.core.records import Call, HandOver, Outcome, ToolKind
from faultlab.core.refused import Refusal, standing_refusal
from faultlab.core.seed import derive
from faultlab.core.waits import retry_after_ns

Specs = Mapping[str, Mapping[str, Any]]


class Intent(NamedTuple):
    """One intended effect. `name` tells equal ones apart: order line 1, order line 2."""

    tool: str
    args: Mapping[str, Any]
    name: str
    ordinal: int = 1
    source: Source | None = None
    """Of a conditional write: what its arguments are decided from."""
    approval: Approval | None = None


SURFACES: Mapping[Move, ToolKind] = {Move.QUERY: "read", Move.STATUS: "status", Move.FENCE: "fence"}
"""What can be asked about an operation -> the kind of tool that answers."""


class Log:
    """The calls of one attempt, numbered as they reach the wire, and its recoveries: what one of them asks may tell
    another one something."""

    __slots__ = ("before", "calls", "recoveries", "whole")

    def __init__(self, before: int = 0, *, whole: bool = True) -> None:
        self.before = before
        """Calls of the attempt that were made in earlier lives."""
        self.whole = whole
        """The journal holds everything that was sent in earlier lives."""
        self.calls: list[Call] = []
        self.recoveries: list[Recovery] = []

    @property
    def count(self) -> int:
        """Calls of the attempt so far: the next one has the next number."""
        return self.before + len(self.calls)


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
        self.operation = Operation(intent.tool, identity, intent.ordinal, terms_of(spec))
        self.seed = derive(0, task.id, intent.name)
        parameters = spec["parameters"]["properties"]
        self.takes_key = KEY_FIELD in parameters
        self.takes_reference = REFERENCE_FIELD in parameters
        self.takes_condition = CONDITION_FIELD in parameters
        self.if_match: str | None = None
        """The version that the next first send names."""
        self.approved_at = -1  # the last call then, which showed its approval to hold
        self.handle = f"{task.id}-{intent.name}"
        self.generation = 0
        """How often key and reference were replaced."""
        self._first_handles: tuple[str | None, str | None] | None = None
        self._take_up()
        self._jitter = wait_seeded_jitter(BACK_OFF, self.seed)
        log.recoveries.append(self)

    def _take_up(self) -> None:
        """Begin with what was sent in an earlier life, or may have been: its outcome is unknown.

        What the journal says was sent is what is meant, whatever was planned anew. Where the journal was lost, the
        handles are known only if they were made of this task's id.
        """
        record = self.env.store.get(sent_name(self.operation.label))
        if record is not None:
            self.if_match = record.get("if_match")
            self.intent = self.intent._replace(args=record["args"])
            self._first_handles = record["key"], record["reference"]
            self.operation.sent(sent_call(record, self.operation.identity))
        elif not self.log.whole:
            intent, reference = self.intent, self.reference if self.log.before else None
            identity = self.operation.identity
            self.operation.sent(Call(-1, self.now_ns, intent.tool, "write", intent.args, identity, None, reference))

    def write_down(self, call: Call) -> None:
        """Keep in the journal that a call of the operation is about to leave, unless it says so already."""
        calls = self.operation.calls
        first = calls[0] if (calls and calls[0].n > 0) or self._first_handles else call
        name, record = sent_record(call, self.operation.ordinal, first.t)
        if self.env.store.get(name) != record:
            self.env.store[name] = record

    @property
    def taken_up(self) -> bool:
        """An earlier life sent it, by its journal."""
        return self._first_handles is not None

    @property
    def key(self) -> str | None:
        if not self.takes_key:
            return None
        if self._first_handles is not None and not self.generation:
            return self._first_handles[0]
        return f"{self.handle}-k{self.generation or ''}"

    @property
    def reference(self) -> str | None:
        if not self.takes_reference:
            return None
        if self._first_handles is not None and not self.generation:
            return self._first_handles[1]
        return f"{self.handle}-r{self.generation or ''}"

    def renew_handles(self) -> None:
        """Take a new key and reference where the old ones can do no more: barred by a fence, answered from the
        server's memory, or too old. Only for an operation that is known not to have happened."""
        operation, contract = self.operation, self.contract
        barred = not operation.tombs.isdisjoint({self.key, self.reference})
        if barred or (self.knowledge is Outcome.NOT_APPLIED and self._key_is_spent(contract)):
            self.generation += 1
            while not self.operation.handles.isdisjoint({self.key, self.reference}):
                self.generation += 1

    def _key_is_spent(self, contract: Contract) -> bool:
        rules, key, operation = contract.key, self.key, self.operation
        if rules is None or key is None or not any(call.key == key for call in operation.calls):
            return False
        last = operation.last_receipt
        if saved_failure(operation, contract) or (last is not None and is_replay(last, contract)):
            return True
        if promised(operation) or ((refusal := standing_refusal(operation, contract)) and refusal.kind == "key"):
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
        return Left.of(self.budget, self.log.count, self.now_ns)

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

    def request(self) -> Invoke:
        """The call that is meant, as it leaves now."""
        intent = self.intent
        return Invoke(intent.tool, intent.args, self.key, self.reference, self.if_match)

    def decided(self, args: Mapping[str, Any], if_match: str | None) -> None:
        """The write is to be this one now. After a refusal it is another request, with handles of its own."""
        if self.operation.calls:
            self.generation += 1
        self.intent = self.intent._replace(args=args)
        self.if_match = if_match

    @property
    def safe_sends(self) -> frozenset[Move]:
        """The ways to send it again while its outcome is unknown that can have no second effect, and can settle it."""
        if self.knowledge is not Outcome.UNKNOWN:
            return frozenset()
        return sends_again(self.operation, self.contract, self.left)[1]

    def may_send(self, *moves: Move) -> bool:
        """Whether one of these is among them."""
        return not self.safe_sends.isdisjoint(moves)

    @property
    def refusal(self) -> Refusal | None:
        """The refusal that the request, as it is meant now, would meet again; None: there is none, or it does not
        count."""
        if self.knowledge is not Outcome.NOT_APPLIED:
            return None
        refusal = standing_refusal(self.operation, self.contract)
        if refusal is None or refusal.kind not in ("stale", "bare"):
            return refusal
        return refusal if refusal.call.if_match == self.if_match else None

    @property
    def decided_anew(self) -> bool:
        """Refused for the version that it named, it is to be sent with another one now."""
        if self.knowledge is not Outcome.NOT_APPLIED:
            return False
        return self.refusal is None and standing_refusal(self.operation, self.contract) is not None

    @property
    def undecided(self) -> bool:
        """What is written depends on what is there, and that was not read, or is no longer so."""
        if self.intent.source is None or not self.takes_condition:
            return False
        refusal = self.refusal
        if refusal is not None:
            return refusal.kind in ("stale", "bare")
        return self.knowledge is None and self.if_match is None

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
        asked = [read for read in operation.asked_since if read.kind == kind]
        failures = sum(1 for _ in takewhile(lambda read: read.reveal is None, reversed(asked)))
        growing_s = seconds(ASK_AGAIN, failures) if failures else 0.0
        answered = [read.started_ns for read in asked if read.reveal is not None]
        again_ns = answered[-1] + ns(poll_s(operation, self.contract)) if answered else 0
        told_ns = asked[-1].not_before_ns if asked else 0
        return max(growing_s, self.until_s(max(again_ns, told_ns)))

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
            askable = {*identity, *self._place} == set(spec["parameters"]["properties"])
            if self.intent.tool in spec.get("reveals", ()) and askable:
                return name
        return None

    def query_args(self) -> dict[str, Any]:
        return {name: self.intent.args[name] for name in (*self.specs[self.intent.tool]["identity"], *self._place)}

    @property
    def _place(self) -> tuple[str, ...]:
        """The argument that says where, if there is one."""
        scope = self.operation.terms.scope
        return () if scope is None else (scope,)

    def supporting(self) -> tuple[int, ...]:
        """The call whose receipt proved the operation applied."""
        return (self.operation.applied,) if self.operation.applied else ()

    def record(self) -> HandOver:
        """All that a person needs to finish the operation."""
        return record_of(self.operation)
