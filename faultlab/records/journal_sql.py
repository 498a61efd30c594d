"""records: the journal in SQLite or PostgreSQL. Loading this module loads SQLModel: only who opens a journal does.

One transaction a method. What must outlive a power cut (a request before it leaves, its receipt) waits for the disk;
taking and giving back a lease does not: the next such write carries it along.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import InvalidRequestError
from sqlalchemy.exc import TimeoutError as NoneFree

from faultlab.core.errors import StoreError
from faultlab.records.journal_engine import RECONCILE, described
from faultlab.records.journal_rows import CallRow, Claimed, Journal, OperationRow, ReceiptRow, State
from faultlab.records.journal_values import as_json

_WAITS = "SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'"
"""A commit that outlives a power cut, whatever is the default of the role or the database."""
CONTENDERS = 1000
"""More processes than this do not add an operation of one tool and identity at the same moment."""


def _insert(table: str, fields: Sequence[str], tail: str = "") -> Any:
    names = ", ".join(fields)
    marks = ", ".join(f":{name}" for name in fields)
    return text(f"INSERT INTO {table} ({names}) VALUES ({marks}) {tail}")  # noqa: S608 - names from a literal table


def _select(table: str, fields: Sequence[str], tail: str) -> Any:
    return text(f"SELECT {', '.join(fields)} FROM {table} {tail}")  # noqa: S608 - as above


_NAME = text("INSERT INTO journal_meta VALUES (1, :run_id) ON CONFLICT DO NOTHING")
_ADD = _insert("journal_operations", OperationRow._fields, "ON CONFLICT DO NOTHING")
_COUNT = text("SELECT COUNT(*) FROM journal_operations WHERE tool = :tool AND identity = :identity")
_TAKE = text(
    "UPDATE journal_operations SET lease_n = lease_n + 1, lease_until_ns = :until_ns"
    " WHERE id = :id AND state <> 'done' AND lease_until_ns <= :now_ns"
)
_PROLONG = text(
    "UPDATE journal_operations SET lease_until_ns = :until_ns, args = :args, digest = :digest, state = 'open'"
    " WHERE id = :id AND lease_n = :lease_n"
)
_STILL_MINE = text("UPDATE journal_operations SET lease_n = lease_n WHERE id = :id AND lease_n = :lease_n")
_SETTLE = text(
    "UPDATE journal_operations SET state = :state, value = :value, settled_ns = :now_ns, lease_until_ns = 0"
    " WHERE id = :id AND (lease_n = :lease_n OR (:proved AND state IN ('handed_over', 'not_done')))"
)
_RELEASE = text("UPDATE journal_operations SET lease_until_ns = 0 WHERE id = :id AND lease_n = :lease_n")
_ONE = _select("journal_operations", OperationRow._fields, "WHERE id = :id")
_SAME = text(
    "SELECT id FROM journal_operations WHERE run = :run AND tool = :tool AND identity = :identity AND name = :name"
)
_FIND = _select("journal_operations", OperationRow._fields, "WHERE state = :state ORDER BY began_ns, id")
_FIND_RUN = _select(
    "journal_operations", OperationRow._fields, "WHERE state = :state AND run = :run ORDER BY began_ns, id"
)
_CALLS = _select("journal_calls", CallRow._fields, "WHERE operation = :id ORDER BY n")
_RECEIPTS = _select("journal_receipts", ReceiptRow._fields, "WHERE operation = :id ORDER BY t_ns, n")
_ADD_CALL = _insert("journal_calls", CallRow._fields)
_ADD_RECEIPT = _insert("journal_receipts", ReceiptRow._fields)


class SqlJournal(Journal):
    """The journal in a database. Threads may share it; a forked process gets connections of its own."""

    blocking = True

    def __init__(self, engine: Engine, where: str, *, fsync: bool) -> None:
        self._engine = engine
        self._where = where
        self._fsync = fsync
        self._pid = os.getpid()
        self._postgres = engine.dialect.name == "postgresql"

    @property
    def where(self) -> str:
        return self._where

    def run_id(self) -> str:
        with self._writing(durable=True) as connection:
            connection.execute(_NAME, {"run_id": os.urandom(8).hex()})
            return str(connection.execute(text("SELECT run_id FROM journal_meta")).scalar_one())

    def claim(self, new: OperationRow, now_ns: int, lease_ns: int) -> Claimed:
        with self._writing(durable=False) as connection:
            values = new._replace(args=as_json(new.args), value=as_json(new.value))  # type: ignore[arg-type]  # as stored
            if connection.execute(_ONE, {"id": new.id}).first() is None:
                _add_operation(connection, values)
            taken = connection.execute(_TAKE, {"id": new.id, "now_ns": now_ns, "until_ns": now_ns + lease_ns})
            row = _operation(connection.execute(_ONE, {"id": new.id}).one())
            if row.lease_n == 1 and taken.rowcount == 1:
                return Claimed(row, True, (), ())
            calls = tuple(map(CallRow._make, connection.execute(_CALLS, {"id": new.id})))
            receipts = tuple(map(_receipt, connection.execute(_RECEIPTS, {"id": new.id})))
            return Claimed(row, taken.rowcount == 1, calls, receipts)

    def sending(self, row: CallRow, args: Mapping[str, Any]) -> bool:
        with self._writing(durable=True) as connection:
            values = {
                "id": row.operation,
                "lease_n": row.lease_n,
                "until_ns": row.lease_until_ns,
                "args": as_json(args),
                "digest": row.digest,
            }
            if connection.execute(_PROLONG, values).rowcount != 1:
                return False
            connection.execute(_ADD_CALL, row._asdict())
            return True

    def received(self, calls: list[CallRow], receipts: list[ReceiptRow]) -> None:
        with self._writing(durable=True) as connection:
            self._add(connection, calls, receipts)

    def settle(
        self, row: OperationRow, state: State, value: Any, now_ns: int, calls: list[CallRow], receipts: list[ReceiptRow]
    ) -> None:
        with self._writing(durable=True) as connection:
            self._add(connection, calls, receipts)
            values = {
                "id": row.id,
                "lease_n": row.lease_n,
                "state": state,
                "proved": state == "done",
                "value": as_json(value),
                "now_ns": now_ns,
            }
            connection.execute(_SETTLE, values)

    def release(self, row: OperationRow) -> None:
        with self._writing(durable=False) as connection:
            connection.execute(_RELEASE, {"id": row.id, "lease_n": row.lease_n})

    def find(self, state: State, run: str | None = None) -> list[OperationRow]:
        query = _FIND if run is None else _FIND_RUN
        with self._connected() as connection:
            return [_operation(found) for found in connection.execute(query, {"state": state, "run": run})]

    def close(self) -> None:
        self._engine.dispose()

    def _add(self, connection: Connection, calls: list[CallRow], receipts: list[ReceiptRow]) -> None:
        """Questions count only while the lease holds: their numbers may have been given again since."""
        asked = {call.n for call in calls}
        if calls:
            mine = {"id": calls[0].operation, "lease_n": calls[0].lease_n}
            if connection.execute(_STILL_MINE, mine).rowcount == 1:
                connection.execute(_ADD_CALL, [call._asdict() for call in calls])
                asked = set()
        for receipt in receipts:
            if receipt.n not in asked:
                stored = {name: as_json(getattr(receipt, name)) for name in ("headers", "body", "reveals")}
                connection.execute(_ADD_RECEIPT, {**receipt._asdict(), **stored})

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        if os.getpid() != self._pid:  # forked: the connections belong to the parent
            self._engine.dispose(close=False)
            self._pid = os.getpid()
        try:
            with described(self._where), self._engine.connect() as connection:
                yield connection
        except (NoneFree, InvalidRequestError) as error:  # all connections wait for a lock, or this one was cut
            raise StoreError(f"the journal {self._where} cannot be used: {error}. {RECONCILE}") from error

    @contextmanager
    def _writing(self, *, durable: bool) -> Iterator[Connection]:
        """One transaction; whatever interrupts it leaves nothing behind."""
        durable = durable and self._fsync
        with self._connected() as connection:
            if self._postgres:
                connection.exec_driver_sql("BEGIN")
                connection.exec_driver_sql(_WAITS if durable else "SET LOCAL synchronous_commit = off")
            else:
                connection.exec_driver_sql(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.exec_driver_sql("COMMIT")
            except BaseException:
                connection.invalidate()  # its server may be gone, and with it whatever could be rolled back
                raise


def _add_operation(connection: Connection, values: OperationRow) -> None:
    """Once more where another process took the same ordinal in between: each time one of them gets through."""
    for _ in range(CONTENDERS):
        ordinal = connection.execute(_COUNT, {"tool": values.tool, "identity": values.identity}).scalar_one() + 1
        if connection.execute(_ADD, values._replace(ordinal=ordinal)._asdict()).rowcount == 1:
            return
        held = connection.execute(_SAME, values._asdict()).scalar()
        if held is not None:
            break
    if held != values.id:
        raise StoreError(
            f"the journal cannot take {values.tool}({values.identity}) of run {values.run!r}: it holds it under "
            "another id, as an earlier version wrote it where a run or an operation=... was no text. Nothing was sent "
            "now: reconcile() goes on with that one; if another effect is meant, name it: operation='...'"
        )


def _operation(found: Any) -> OperationRow:
    row = OperationRow._make(found)
    return row._replace(args=json.loads(row.args), value=json.loads(row.value))  # type: ignore[arg-type]  # as stored


def _receipt(found: Any) -> ReceiptRow:
    row = ReceiptRow._make(found)
    return row._replace(**{name: json.loads(getattr(row, name)) for name in ("headers", "body", "reveals")})
