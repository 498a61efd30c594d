"""records: what the journal of the tool client holds, as immutable rows, and the one door to it.

An operation is written before its first request leaves; each request before it leaves; each receipt after it came.
Requests and receipts are only ever added. Times are nanoseconds since the epoch.
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, Protocol

State = Literal["open", "done", "not_done", "refused", "handed_over"]
"""`open`: not settled, for `call` and `reconcile` to go on with. The others are what the caller was told."""


class OperationRow(NamedTuple):
    """One intended effect."""

    id: str
    """Derived from run, tool, identity and name; keys and references derive from it."""
    run: str
    tool: str
    identity: str
    name: str
    """Tells equal operations apart; empty for the only one."""
    args: Mapping[str, Any]
    digest: str
    """`core.canonical.digest` of `args`."""
    began_ns: int
    ordinal: int = 0
    """How many operations of this tool and identity the journal held when this one was added, itself included."""
    state: State = "open"
    settled_ns: int | None = None
    value: Any = None
    """What its own receipt, or the query that proved it, gave back."""
    lease_n: int = 0
    """Fencing number: grows by one whenever somebody takes the operation over. A request is written, and may leave,
    only under the newest number."""
    lease_until_ns: int = 0
    """Until when nobody else may take it; 0: free."""


class CallRow(NamedTuple):
    """A request that was about to leave, or a question that was asked."""

    operation: str
    n: int
    """1, 2, 3 ... within its operation."""
    t_ns: int
    tool: str
    kind: str
    digest: str
    """Of the parameters that were sent."""
    key: str | None
    reference: str | None
    if_match: str | None
    scope: str | None
    lease_n: int
    lease_until_ns: int
    """The latest moment at which its sender let it leave."""


class ReceiptRow(NamedTuple):
    """What came back for it."""

    operation: str
    n: int
    t_ns: int
    outcome: str
    status: int | None
    error: str | None
    headers: Mapping[str, str]
    body: Any
    reveals: list[Any]
    """`core.records.Reveal`, each as a list."""


class Claimed(NamedTuple):
    """An operation as it was found, with its past."""

    row: OperationRow
    mine: bool
    """The lease was given to the asker, under `row.lease_n`."""
    calls: tuple[CallRow, ...]
    receipts: tuple[ReceiptRow, ...]


class Journal(Protocol):
    """The durable record of a tool client. Several threads and processes may use one place at once."""

    blocking: bool
    """Its methods wait for a disk or a network: an event loop calls them in a thread."""

    @property
    def where(self) -> str:
        """The place, as the user may be told it."""
        ...

    def run_id(self) -> str:
        """A random name made with the journal, for clients that name no run."""
        ...

    def claim(self, new: OperationRow, now_ns: int, lease_ns: int) -> Claimed:
        """Add the operation where it is missing, and take it where nobody holds it. Settled ones can be taken too."""
        ...

    def sending(self, row: CallRow, args: Mapping[str, Any]) -> bool:
        """Write a request before it leaves, and prolong the lease to `row.lease_until_ns`. False, and nothing is
        written: somebody else has the lease. `args`: the parameters that the operation is now about."""
        ...

    def received(self, calls: list[CallRow], receipts: list[ReceiptRow]) -> None:
        """Write receipts, and the questions among their calls. Whoever holds the lease: evidence is evidence."""
        ...

    def settle(
        self, row: OperationRow, state: State, value: Any, now_ns: int, calls: list[CallRow], receipts: list[ReceiptRow]
    ) -> None:
        """The last receipts, what is now known, and the lease given back, in one step."""
        ...

    def release(self, row: OperationRow) -> None:
        """Give the lease back, unsettled."""
        ...

    def find(self, state: State, run: str | None = None) -> list[OperationRow]:
        """The operations in a state, oldest first, of one run or of all."""
        ...

    def close(self) -> None: ...
