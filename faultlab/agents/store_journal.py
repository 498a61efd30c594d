"""The journal of a tool client in an agent's own durable store: what `records.journal_rows.Journal` asks for."""

import json
from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any, NamedTuple

from faultlab.core.canonical import label
from faultlab.records.journal_rows import CallRow, Claimed, Journal, OperationRow, ReceiptRow, State

PREFIX = "journal/"


class Entry(NamedTuple):
    """All that is kept of one operation."""

    row: OperationRow
    calls: tuple[CallRow, ...] = ()
    receipts: tuple[ReceiptRow, ...] = ()

    @property
    def name(self) -> str:
        row = self.row
        return f"{PREFIX}{label(row.tool, row.identity, row.ordinal)}"

    def as_json(self) -> Any:
        return {
            "operation": self.row._asdict(),
            "calls": [call._asdict() for call in self.calls],
            "receipts": [receipt._asdict() for receipt in self.receipts],
        }

    @staticmethod
    def of_json(kept: Mapping[str, Any]) -> "Entry":
        calls = tuple(CallRow(**call) for call in kept["calls"])
        return Entry(OperationRow(**kept["operation"]), calls, tuple(ReceiptRow(**item) for item in kept["receipts"]))


def plain(value: Any) -> Any:
    """What JSON makes of it: tools give back mappings of their own kinds."""
    return json.loads(json.dumps(value))


class StoreJournal(Journal):
    """The store belongs to one process at a time: so whoever asks has the lease, and it is read once."""

    blocking = False

    def __init__(self, store: MutableMapping[str, Any]) -> None:
        self._store = store
        kept = [Entry.of_json(store[name]) for name in store if name.startswith(PREFIX)]
        self._entries = {entry.row.id: entry for entry in kept}

    @property
    def where(self) -> str:
        return "env.store"

    def run_id(self) -> str:
        return ""

    def claim(self, new: OperationRow, now_ns: int, lease_ns: int) -> Claimed:
        entry = self._entries.get(new.id)
        if entry is None:
            equal = sum((kept.row.tool, kept.row.identity) == (new.tool, new.identity) for kept in self._all())
            entry = Entry(new._replace(ordinal=1 + equal))
        if entry.row.state == "done":
            return Claimed(entry.row, False, entry.calls, entry.receipts)
        until_ns = now_ns + lease_ns
        row = entry.row._replace(lease_n=entry.row.lease_n + 1, lease_until_ns=until_ns)
        self._keep(entry._replace(row=row))
        return Claimed(row, True, entry.calls, entry.receipts)

    def sending(self, row: CallRow, args: Mapping[str, Any]) -> bool:
        entry = self._entries[row.operation]
        now = entry.row._replace(args=args, digest=row.digest, state="open", lease_until_ns=row.lease_until_ns)
        self._keep(entry._replace(row=now, calls=(*entry.calls, row)))
        return True

    def received(self, calls: list[CallRow], receipts: list[ReceiptRow]) -> None:
        for operation in {call.operation for call in calls} | {receipt.operation for receipt in receipts}:
            self._keep(self._with(operation, calls, receipts))

    def settle(
        self, row: OperationRow, state: State, value: Any, now_ns: int, calls: list[CallRow], receipts: list[ReceiptRow]
    ) -> None:
        entry = self._with(row.id, calls, receipts)
        self._keep(entry._replace(row=entry.row._replace(state=state, value=plain(value), settled_ns=now_ns)))

    def release(self, row: OperationRow) -> None:
        """Nobody waits for it."""

    def find(self, state: State, run: str | None = None) -> list[OperationRow]:
        found = [kept.row for kept in self._all() if kept.row.state == state and run in (None, kept.row.run)]
        return sorted(found, key=lambda row: row.began_ns)

    def close(self) -> None:
        """There is nothing to close."""

    def _all(self) -> Iterable[Entry]:
        return self._entries.values()

    def _with(self, operation: str, calls: list[CallRow], receipts: list[ReceiptRow]) -> Entry:
        entry = self._entries[operation]
        came = (ReceiptRow._make(plain(receipt)) for receipt in receipts)
        return entry._replace(calls=(*entry.calls, *calls), receipts=(*entry.receipts, *came))

    def _keep(self, entry: Entry) -> None:
        self._store[entry.name] = entry.as_json()
        self._entries[entry.row.id] = entry
