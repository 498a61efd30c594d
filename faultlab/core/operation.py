"""One intended effect, and what its receipts and reads so far prove of it.

APPLIED sticks. A refusal settles only the call it answers. UNKNOWN ends only by a protected receipt or by conclusive
evidence (`core/proof.py`).
"""

from typing import NamedTuple

from faultlab.core.canonical import canonical, label
from faultlab.core.contract import Contract
from faultlab.core.history import WriteTerms
from faultlab.core.outcome import handle_of
from faultlab.core.proof import conclusive_absence, overtaken, shows_only_others, shows_own, steps
from faultlab.core.records import Call, Outcome, Receipt, Reveal, Sight
from faultlab.core.refusals import KEY_MISMATCH, meaning_of
from faultlab.core.waits import not_before_ns

PLAIN = WriteTerms(())
"""A tool that declares nothing."""


class Read(NamedTuple):
    """One answer, or failure, of a surface that was asked about the operation."""

    call: int
    started_ns: int
    reveal: Reveal | None
    """None: the surface did not answer."""
    kind: str
    not_before_ns: int = 0
    """Until when it asked to be left alone (Retry-After); 0: it did not."""


class Operation:
    """One intended effect, and all that is known of it."""

    __slots__ = (
        "applied",
        "calls",
        "disputed",
        "failed",
        "handles",
        "identity",
        "last_receipt",
        "last_unknown_ns",
        "looked_ns",
        "monitors",
        "open",
        "ordinal",
        "reads",
        "receipts",
        "refusal",
        "settled_by",
        "terms",
        "tombs",
        "tool",
    )

    def __init__(self, tool: str, identity: str, ordinal: int = 1, terms: WriteTerms = PLAIN) -> None:
        self.tool = tool
        self.identity = identity
        self.ordinal = ordinal
        self.terms = terms
        self.calls: list[Call] = []
        self.handles: set[str] = set()
        self.open: set[int] = set()
        """Calls that may still have, or come to have, an effect."""
        self.applied: int = 0
        """The call whose receipt proved it; 0: not proved."""
        self.refusal: Receipt | None = None
        self.failed: int = 0
        """The read that showed an accepted request to have failed for good; 0: none."""
        self.settled_by: int = 0
        """The last read that showed of an open call that it had no effect; 0: none."""
        self.disputed: set[int] = set()
        """Calls whose key was used before with other parameters, nobody has read by whom."""
        self.last_receipt: Receipt | None = None
        self.receipts: dict[int, Receipt] = {}
        self.last_unknown_ns = -1
        """When the last receipt came that settled nothing; -1: none did."""
        self.looked_ns = -1
        """When the last answered read began that showed the thing it writes; -1: none did."""
        self.reads: list[Read] = []
        self.tombs: set[str] = set()
        """Handles that a durable fence has barred."""
        self.monitors: dict[int, str] = {}
        """Call -> the handle under which the server accepted it."""

    @property
    def label(self) -> str:
        return label(self.tool, self.identity, self.ordinal)

    @property
    def knowledge(self) -> Outcome | None:
        """None: nothing was sent."""
        if self.applied:
            return Outcome.APPLIED
        if self.open:
            return Outcome.UNKNOWN
        return Outcome.NOT_APPLIED if self.calls else None

    @property
    def unknown_since_ns(self) -> int:
        """What was read before this says nothing of the last unknown call: its receipt, or, where its caller died
        before there was one, its sending."""
        lost = [call.t for call in self.calls if call.n in self.open and call.n not in self.receipts]
        return max(self.last_unknown_ns, *lost) if lost else self.last_unknown_ns

    @property
    def asked_since(self) -> list[Read]:
        """The reads since then."""
        since = self.unknown_since_ns
        return [read for read in self.reads if read.started_ns >= since]

    @property
    def _handles_forgotten(self) -> bool:
        """It was sent in an earlier life under handles that nobody remembers: an effect under any may be its own."""
        return any(call.n < 0 and call.key is None and call.reference is None for call in self.calls)

    def sent(self, call: Call) -> None:
        self.calls.append(call)
        self.open.add(call.n)
        if call.key is not None:
            self.handles.add(call.key)
        if call.reference is not None:
            self.handles.add(call.reference)

    def received(self, receipt: Receipt, contract: Contract) -> None:
        """The receipt of one of its own calls."""
        self.last_receipt = self.receipts[receipt.call] = receipt
        outcome = receipt.outcome
        if outcome is Outcome.APPLIED:
            self.applied = self.applied or receipt.call
        elif outcome is Outcome.UNKNOWN:
            self.last_unknown_ns = receipt.t
            if (monitor := handle_of(receipt.status, receipt.body)) is not None:
                self.monitors[receipt.call] = monitor
                self.handles.add(monitor)
        else:
            self._refused(receipt, contract)

    def _refused(self, receipt: Receipt, contract: Contract) -> None:
        call = next(item for item in self.calls if item.n == receipt.call)
        self.refusal = receipt
        if contract.key is not None and meaning_of(receipt.body) == KEY_MISMATCH and not self._drifted(call):
            self.disputed.add(call.n)
            self.last_unknown_ns = receipt.t
            return  # it stays open: what was done under the key before may be one's own
        self.open.discard(call.n)
        if is_replay(receipt, contract):
            self.open -= {item.n for item in self.calls if (item.key, item.scope) == (call.key, call.scope)}

    def _drifted(self, refused: Call) -> bool:
        """An own call under the same key had other parameters: that explains a mismatch."""
        return any(
            item.key == refused.key and item.n != refused.n and not same_parameters(item, refused)
            for item in self.calls
        )

    def read(self, call: Call, reveal: Reveal | None, contract: Contract, receipt: Receipt | None = None) -> None:
        """An answer about it. `reveal` None: the surface was asked and gave nothing."""
        if call.scope is not None and all(item.scope != call.scope for item in self.calls):
            return  # what is done in one place is not seen in another
        if reveal is not None:
            self._learn(call, reveal, contract, () if receipt is None else receipt.sights)
        asked = receipt is not None and "retry-after" in receipt.headers
        until_ns = not_before_ns(receipt) if asked and receipt is not None else 0
        self.reads.append(Read(call.n, call.t, reveal, call.kind, until_ns))

    def looked(self, call: Call) -> None:
        """A read showed the versioned thing that it writes."""
        self.looked_ns = max(self.looked_ns, call.t)

    @property
    def thing(self) -> str | None:
        """`table/row` of the versioned thing that it writes; None: it writes none."""
        if self.terms.versioned is None or not self.calls:
            return None
        table, argument = self.terms.versioned
        return f"{table}/{self.calls[-1].args.get(argument)}"

    def _learn(self, call: Call, reveal: Reveal, contract: Contract, sights: tuple[Sight, ...]) -> None:
        asked = self._asked_about(call, reveal)
        if reveal.handle is not None and reveal.identity not in ("", self.identity):
            # What was done under this handle was done to something else: by somebody else, or for another task. Its
            # key being theirs, every own call that bears it was, or will be, refused like the disputed one.
            if not self.disputed.isdisjoint(item.n for item in asked):
                self._settle(call, {item.n for item in asked if item.key == reveal.handle or item.n in self.disputed})
        elif reveal.answer == "present" and self._shown(reveal, contract, sights):
            self.applied = self.applied or call.n
        elif reveal.answer == "failed" and reveal.handle is None:
            self._settle(call, {item.n for item in asked if bears(item, reveal.shown)}, failed=True)
        elif reveal.answer in ("absent", "fenced", "failed") or (
            shows_only_others(reveal) and not self._handles_forgotten
        ):
            if reveal.answer == "fenced" and reveal.definitive and reveal.handle is not None:
                self.tombs.add(reveal.handle)
            if conclusive_absence(reveal, call.t, asked, contract):
                self._settle(call, {item.n for item in asked}, failed=reveal.answer == "failed")
        if self.open and sights and contract.precondition is not None:
            self._settle(call, {item.n for item in self.calls if self._overtaken(item, reveal, sights)})

    def _shown(self, reveal: Reveal, contract: Contract, sights: tuple[Sight, ...]) -> bool:
        """Own key or reference; without a handle it is proof only where nobody else writes, and, of a versioned
        thing, where its version is no longer the one that the own call named."""
        if shows_own(self.handles, reveal):
            return True
        if contract.writers != "one" or len(reveal.shown) < self.ordinal:
            return False
        moves = [steps(self.terms.versioned, item, sights) for item in self.calls if item.if_match is not None]
        return all(moved is not None and moved > 0 for moved in moves)

    def _overtaken(self, call: Call, reveal: Reveal, sights: tuple[Sight, ...]) -> bool:
        if self._handles_forgotten:
            return False
        return overtaken(call, steps(self.terms.versioned, call, sights), self.handles, reveal)

    def _settle(self, read: Call, numbers: set[int], *, failed: bool = False) -> None:
        """Of these calls it is known now that they have no effect; `failed`: and that they were tried."""
        settled = self.open & numbers
        if settled:
            self.failed = read.n if failed else self.failed
            self.open -= settled
            self.disputed -= settled
            self.settled_by = read.n

    def _asked_about(self, read: Call, reveal: Reveal) -> list[Call]:
        """Its calls sent before the read; of those, asked by handle, the ones that bear it."""
        return [
            item
            for item in self.calls
            if item.n < read.n
            and read.scope in (None, item.scope)
            and reveal.handle in (None, item.key, item.reference, self.monitors.get(item.n))
        ]


def bears(call: Call, handles: tuple[str | None, ...]) -> bool:
    """It was sent under one of them."""
    return not {call.key, call.reference}.isdisjoint(filter(None, handles))


def same_parameters(one: Call, other: Call) -> bool:
    """Equal as a server compares them: as JSON values (1 == 1.0, but not true), with their condition."""
    return one.if_match == other.if_match and canonical(one.args) == canonical(other.args)


def is_replay(receipt: Receipt, contract: Contract) -> bool:
    """It carries the marker by which this contract tells a replayed answer."""
    rules = contract.key
    if rules is None or rules.replay_header is None:
        return False
    return receipt.headers.get(rules.replay_header.lower(), "false").strip().lower() != "false"


def in_progress(receipt: Receipt | None) -> bool:
    """A whole 2xx that promises instead of telling a result: accepted, or of a tool whose answers are provisional."""
    return (
        receipt is not None
        and receipt.outcome is Outcome.UNKNOWN
        and receipt.error is None
        and receipt.status is not None
        and 200 <= receipt.status < 300
        and isinstance(receipt.body, dict)
    )
