"""The journal of a tool client in an agent's own durable store: what `records.journal_rows.Journal` asks for."""

import json
from collections.abc import Mapping, MutableMapping
from typing import Any, NamedTuple

from faultlab.records.journal_rows import CallRow, Claimed, Journal, OperationRow, ReceiptRow, State

NAME = "journal/"


class Entry(NamedTuple):
    """All that is kept of one operation."""

    row: OperationRow
    calls: tuple[CallRow, ...] = ()
    receipts: tuple[ReceiptRow, ...] = ()


class StoreJournal(Journal):
    """The store belongs to one process at a time: so whoever asks has the lease."""

    blocking = False

    def __init__(self, store: MutableMapping[str, Any]) -> None:
        self._store = store

    @property
    def where(self) -> str:
        return "env.store"

    def run_id(self) -> str:
        return ""

    def claim(self, new: OperationRow, now_ns: int, lease_ns: int) -> Claimed:
        entry = self._entry(new.id)
        if entry is None:
            entry = Entry(new._replace(ordinal=1 + sum(self._equal(kept.row, new) for kept in self._entries())))
        if entry.row.state == "done":
            return Claimed(entry.row, False, entry.calls, entry.receipts)
        until_ns = now_ns + lease_ns
        row = entry.row._replace(lease_n=entry.row.lease_n + 1, lease_until_ns=until_ns)
        self._keep(entry._replace(row=row))
        return Claimed(row, True, entry.calls, entry.receipts)

    @staticmethod
    def _equal(one: OperationRow, other: OperationRow) -> bool:
        return (one.tool, one.identity) == (other.tool, other.identity)

    def sending(self, row: CallRow, args: Mapping[str, Any]) -> bool:
        entry = self._held(row.operation)
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
        self._keep(entry._replace(row=entry.row._replace(state=state, value=value, settled_ns=now_ns)))

    def release(self, row: OperationRow) -> None:
        """Nobody waits for it."""

    def find(self, state: State, run: str | None = None) -> list[OperationRow]:
        found = [kept.row for kept in self._entries() if kept.row.state == state and run in (None, kept.row.run)]
        return sorted(found, key=lambda row: row.began_ns)

    def close(self) -> None:
        """There is nothing to close."""

    def _with(self, operation: str, calls: list[CallRow], receipts: list[ReceiptRow]) -> Entry:
        entry = self._held(operation)
        return entry._replace(calls=(*entry.calls, *calls), receipts=(*entry.receipts, *receipts))

    def _keep(self, entry: Entry) -> None:
        self._store[NAME + entry.row.id] = json.loads(json.dumps(entry))

    def _held(self, operation: str) -> Entry:
        entry = self._entry(operation)
        assert entry is not None, "it was claimed before"
        return entry

    def _entry(self, operation: str) -> Entry | None:
        kept = self._store.get(NAME + operation)
        if kept is None:
            return None
        row, calls, receipts = kept
        return Entry(OperationRow._make(row), tuple(map(CallRow._make, calls)), tuple(map(ReceiptRow._make, receipts)))

    def _entries(self) -> list[Entry]:
        ids = [name.removeprefix(NAME) for name in self._store if name.startswith(NAME)]
        return [self._held(operation) for operation in ids]
