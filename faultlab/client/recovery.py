"""One operation on its way: what was intended, what was sent, what is known, and what is left to spend."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from faultlab.client.waits import BACK_OFF, seconds, wait_seeded_jitter
from faultlab.core.agent import Budget
from faultlab.core.canonical import digest, identity_of
from faultlab.core.clock import NS, ns
from faultlab.core.contract import KEY_FIELD, REFERENCE_FIELD, Contract
from faultlab.core.entitled import Left, Move, retry_after_ns, surface_productive
from faultlab.core.knowledge import Operation
from faultlab.core.records import Call, HandOver, Outcome
from faultlab.core.seed import derive

Specs = Mapping[str, Mapping[str, Any]]


class Intent(NamedTuple):
    """One intended effect. `name` tells equal ones apart: order line 1, order line 2."""

    tool: str
    args: Mapping[str, Any]
    name: str
    ordinal: int = 1


class Log:
    """The calls of one attempt, numbered as they reach the wire; shared by its recoveries."""

    __slots__ = ("calls",)

    def __init__(self) -> None:
        self.calls: list[Call] = []


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
        """How many references a fence has barred."""
        self._jitter = wait_seeded_jitter(BACK_OFF, self.seed)

    @property
    def key(self) -> str | None:
        return f"{self.handle}-k" if self.takes_key else None

    @property
    def reference(self) -> str | None:
        if not self.takes_reference:
            return None
        return f"{self.handle}-r{self.generation}" if self.generation else f"{self.handle}-r"

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

    def back_off_s(self) -> float:
        """How long to wait before the next send: growing, with jitter."""
        return seconds(self._jitter, max(1, self.sends))

    def asks(self, move: Move) -> bool:
        """Whether asking on this surface can still tell something."""
        return self.tool_for(move) is not None and surface_productive(self.operation, move, self.contract, self.left)

    def tool_for(self, move: Move) -> str | None:
        """The tool of a surface: the status query, the fence, or the first read that tells about this write."""
        if move is Move.QUERY:
            return self._query_tool()
        kind = "status" if move is Move.STATUS else "fence"
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

    def last_look_ns(self) -> int:
        """When the last complete read since the last unknown receipt began; -1: there is none."""
        looks = [
            read.started_ns
            for read in self.operation.reads
            if read.reveal is not None and read.kind == "read" and read.started_ns >= self.operation.last_unknown_ns
        ]
        return looks[-1] if looks else -1

    def supporting(self) -> tuple[int, ...]:
        """The call whose receipt proved the operation applied."""
        return (self.operation.applied,) if self.operation.applied else ()

    def record(self) -> HandOver:
        """All that a person needs to finish the operation."""
        operation = self.operation
        last, receipt = operation.calls[-1], operation.last_receipt
        said = "no receipt" if receipt is None else receipt.error or str(receipt.status)
        reads = tuple(dict.fromkeys(read.call for read in operation.reads))
        return HandOver(
            operation.label,
            last.key or last.reference,
            digest(last.args),
            last.scope,
            operation.calls[0].t,
            said,
            reads,
        )


def wait_until_s(recovery: Recovery, at_ns: int) -> float:
    """Seconds from now to a moment; 0 for one already past."""
    return max(0, at_ns - recovery.now_ns) / NS
