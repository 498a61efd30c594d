"""What happens in an attempt, as immutable records.

The records of the hot path are NamedTuples: they cost a third of a frozen dataclass. Times are
nanoseconds since the attempt began (`core/clock.py`).
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal, NamedTuple


class Outcome(StrEnum):
    """What a receipt proves about a call, and all receipts together about an operation."""

    APPLIED = "applied"
    NOT_APPLIED = "not_applied"
    UNKNOWN = "unknown"


ToolKind = Literal["read", "write", "status", "fence"]
Actor = Literal["agent", "interference", "middlebox", "human"]


class Call(NamedTuple):
    """One tool invocation as it reached the wire; a retry is a new call."""

    n: int
    """1, 2, 3 ... in wire order; below 0 for a call made before the attempt began: it counts in no budget."""
    t: int
    tool: str
    kind: ToolKind
    args: Mapping[str, Any]
    """The tool's own arguments, without the four fields below."""
    identity: str = ""
    """Which effect is meant (`core.canonical.identity_of`); empty for a read."""
    key: str | None = None
    """Idempotency-Key."""
    reference: str | None = None
    """The client's own mark, stored with the effect, never used to deduplicate."""
    if_match: str | None = None
    scope: str | None = None
    first_sent_ns: int | None = None
    """When the caller says that it first sent the request, where the contract asks for that."""
    items: tuple[str, ...] = ()
    """Of a tool that takes a list: the identity of each effect that is meant, in the order asked."""
    resent: int = 0
    """The call whose request this is once more, sent by a layer below the caller; 0: the caller made it."""


class Reveal(NamedTuple):
    """What a read's answer tells about effects of one write tool."""

    tool: str
    """The write tool it tells about; empty when asked by handle alone."""
    identity: str
    """The identity it was asked for; empty when asked by handle."""
    handle: str | None
    """The key or reference it was asked by; None when asked by identity."""
    shown: tuple[str | None, ...]
    """The handle of each effect that it shows; None for an effect shown without one."""
    answer: Literal["present", "absent", "not_ready", "fenced", "failed"]
    definitive: bool = False
    """The contract says that this answer settles the matter."""
    fresh: bool = True
    """Complete, and no older than the read itself (no Age above 0, the whole list)."""


class Sight(NamedTuple):
    """Which version of a thing an answer showed."""

    object: str
    """`table/row`."""
    version: int | None
    """From the entity tag or the body's own `revision`; None: it shows neither."""
    fresh: bool = True
    """Whole, and no older than the read itself, as far as the answer says (Age, `complete`, `next`)."""


class Receipt(NamedTuple):
    """What the caller got back: a complete response, part of one, or an exception."""

    call: int
    t: int
    outcome: Outcome
    """Of this call alone, by `core.outcome`."""
    status: int | None = None
    body: Any = None
    headers: Mapping[str, str] = {}
    """Lower-case names; only those with a meaning here (retry-after, etag, age, idempotent-replayed)."""
    error: str | None = None
    """The exception's class name when there was no complete response: `ReadTimeout`."""
    reveals: tuple[Reveal, ...] = ()
    """For a read: what it tells; for a failed read: what it was asked."""
    sights: tuple[Sight, ...] = ()
    """The versioned things that the answer showed, or made."""


class Effect(NamedTuple):
    """One committed change: a line of the ledger, the ground truth, which no caller sees."""

    id: str
    t: int
    call: int
    """The causing call; 0 for an effect of somebody else."""
    tool: str
    identity: str
    args: Mapping[str, Any]
    key: str | None = None
    reference: str | None = None
    actor: Actor = "agent"
    cause: Literal["agent", "server", "interference", "middlebox", "human"] = "agent"
    """Who answers for it if it is one too many."""
    reverses: str | None = None
    """The id of the effect that this one takes back."""
    object: str = ""
    """`table/row` of the versioned thing that was written; empty for other effects."""
    before: Mapping[str, Any] = {}
    """The members of that thing which it changed, as they were."""
    after: Mapping[str, Any] = {}
    """The same members, as it left them."""


class Fired(NamedTuple):
    """A planned fault reached its declared phase."""

    call: int
    """0: a port was closed, and turns away calls of which nobody hears."""
    t: int
    fault: str
    phase: str
    symptom: str
    required: bool


class Ask(NamedTuple):
    """A question to the user, and the answer (None: nothing left to say)."""

    t: int
    question: str
    answer: str | None
    retracts: str | None = None
    """The fact that the answer takes back."""


class Note(NamedTuple):
    """A write to the durable store or to the notes of the agent."""

    t: int
    kind: Literal["store", "notes"]
    name: str
    value: Any
    gone: bool = False
    """The agent deleted the entry."""


class Crashed(NamedTuple):
    """The agent's process died during a call, as planned. What it held in memory is gone; it is started again."""

    t: int
    call: int
    journal: Literal["kept", "lost"]
    """Whether the durable store is still there."""


class Forgot(NamedTuple):
    """Named entries fell out of the agent's notes, as planned."""

    t: int
    names: tuple[str, ...]


class HandOver(NamedTuple):
    """All that a person needs to finish an operation of unknown outcome."""

    operation: str
    """`core.canonical.label` of the operation."""
    handle: str | None
    """Its key or reference; None if the tool takes none."""
    digest: str
    """`core.canonical.digest` of the parameters."""
    scope: str | None
    first_sent_ns: int
    last_receipt: str
    """Status or exception of its last call."""
    reads: tuple[int, ...] = ()
    """The calls that asked about it."""


Status = Literal["done", "not_done", "handed_over", "refused", "unknown"]
STATUSES: tuple[Status, ...] = ("done", "not_done", "handed_over", "refused", "unknown")


class Claim(NamedTuple):
    """What the agent finally says, and what it rests on."""

    status: Status
    text: str = ""
    evidence: tuple[int, ...] = ()
    """Numbers of the calls whose receipts support it."""
    operations: Mapping[str, Status] = {}
    """Label -> status, where operations ended differently; `status` speaks for those not listed."""
    hand_over: tuple[HandOver, ...] = ()
    t: int = 0
    """Set by the lab when it takes the claim."""

    @staticmethod
    def done(text: str = "", evidence: "list[int] | tuple[int, ...]" = ()) -> "Claim":
        return Claim("done", text, tuple(evidence))

    @staticmethod
    def not_done(text: str = "", evidence: "list[int] | tuple[int, ...]" = ()) -> "Claim":
        return Claim("not_done", text, tuple(evidence))

    @staticmethod
    def refused(text: str = "", evidence: "list[int] | tuple[int, ...]" = ()) -> "Claim":
        return Claim("refused", text, tuple(evidence))

    @staticmethod
    def unknown(text: str = "", evidence: "list[int] | tuple[int, ...]" = ()) -> "Claim":
        return Claim("unknown", text, tuple(evidence))

    @property
    def hands_over(self) -> bool:
        """Some operation is handed to a person."""
        return self.status == "handed_over" or "handed_over" in self.operations.values()

    def of(self, operation: str) -> Status:
        """What it says of one operation."""
        return self.operations.get(operation, self.status)


Event = Call | Receipt | Fired | Ask | Note | Crashed | Forgot | Claim
EVENT_KINDS: Mapping[type, str] = {
    Call: "call",
    Receipt: "receipt",
    Fired: "fault",
    Ask: "ask",
    Note: "note",
    Crashed: "crash",
    Forgot: "forgot",
    Claim: "claim",
    Effect: "effect",
}
