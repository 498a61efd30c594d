"""records: the sessions of a server, durable: each with its order, its events and its effects, in SQLite or PostgreSQL.

The events are the state: a session is rebuilt by letting its calls happen again, each at its own time. So an effect,
its key record and its history cannot come apart: they are one line of events, committed in one transaction.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, text

from faultlab.records.journal_engine import described, engine_for
from faultlab.records.served_migrations import migrate_served

encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


class SessionRow(NamedTuple):
    """A session as it is stored."""

    id: str
    order: dict[str, Any]
    created: float
    """Seconds since the epoch; the session's clock counts from then."""
    ended: bool
    verdict: dict[str, Any] | None


class Batch(NamedTuple):
    """What is added in one transaction."""

    events: list["Line"]
    effects: list["Line"]
    ends: list["Line"]
    """The verdicts of sessions that ended; `n` is 0."""

    @staticmethod
    def of(batches: Iterable["Batch"]) -> "Batch":
        """All of them as one."""
        events, effects, ends = zip(*batches, strict=True)
        return Batch(*[[line for lines in column for line in lines] for column in (events, effects, ends)])

    def __bool__(self) -> bool:
        return bool(self.events or self.effects or self.ends)


class Line(NamedTuple):
    """One event or effect to store."""

    session: str
    n: int
    """Its place in the session's list, from 0."""
    data: Mapping[str, Any]


_EVENT = text("INSERT INTO served_events VALUES (:session, :n, :data)")
_EFFECT = text("INSERT INTO served_effects VALUES (:session, :n, :data)")
_OPEN = text("INSERT INTO served_sessions VALUES (:id, :order, :created, FALSE, NULL)")
_END = text("UPDATE served_sessions SET ended = TRUE, verdict = :data WHERE id = :session AND :n = 0")
_REORDER = text("UPDATE served_sessions SET order_json = :order WHERE id = :id")
_COUNT = text("SELECT COUNT(*) FROM served_effects WHERE session = :id")
_ONE = text("SELECT * FROM served_sessions WHERE id = :id")
_ALL = text("SELECT * FROM served_sessions WHERE NOT ended ORDER BY created, id")
_NEWER = text("SELECT data FROM served_events WHERE session = :id AND n >= :n ORDER BY n")
_EFFECTS = text("SELECT data FROM served_effects WHERE session = :id ORDER BY n")


class Turn:
    """One transaction in which a session belongs to this process alone."""

    def __init__(self, connection: Connection, session: str) -> None:
        self._connection = connection
        self._session = session

    def newer(self, than: int) -> list[dict[str, Any]]:
        """Events from the place `than` on, which other processes have added."""
        found = self._connection.execute(_NEWER, {"id": self._session, "n": than})
        return [json.loads(row.data) for row in found]

    def effects(self) -> int:
        """How many effects are stored."""
        return int(self._connection.execute(_COUNT, {"id": self._session}).scalar_one())

    def add(self, batch: Batch) -> None:
        _add(self._connection, batch)


def _add(connection: Connection, batch: Batch) -> None:
    for statement, lines in ((_EVENT, batch.events), (_EFFECT, batch.effects), (_END, batch.ends)):
        if lines:
            connection.execute(statement, [line._asdict() | {"data": encode(line.data)} for line in lines])


class ServedStore:
    """The store of one server. Each method is one transaction that waits for the disk."""

    def __init__(self, engine: Engine, where: str) -> None:
        self._engine = engine
        self._where = where
        self.shared = engine.dialect.name == "postgresql"
        """Several processes may serve the same sessions."""

    @staticmethod
    def open(where: str) -> "ServedStore":
        """A path, `sqlite:///PATH`, or `postgresql://USER@HOST/NAME`. BadInput, StoreError: it cannot be used."""
        engine = engine_for(where)
        with described(where), engine.connect() as connection:
            migrate_served(connection, where)
        return ServedStore(engine, where)

    def create(self, session: str, order: Mapping[str, Any], created: float) -> None:
        with self._writing() as connection:
            connection.execute(_OPEN, {"id": session, "order": encode(order), "created": created})

    def reorder(self, session: str, order: Mapping[str, Any]) -> None:
        """Store another order of a session."""
        with self._writing() as connection:
            connection.execute(_REORDER, {"id": session, "order": encode(order)})

    def append(self, batch: Batch) -> None:
        """Add all lines or none; they are durable when this returns."""
        with self._writing() as connection:
            _add(connection, batch)

    @contextmanager
    def turn(self, session: str) -> Iterator[Turn]:
        """Hold a session against other processes, until what was added is durable."""
        with self._writing() as connection:
            if self.shared:
                connection.execute(text("SELECT id FROM served_sessions WHERE id = :id FOR UPDATE"), {"id": session})
            yield Turn(connection, session)

    def delete(self, session: str) -> None:
        with self._writing() as connection:
            for table in ("served_events", "served_effects"):
                connection.execute(text(f"DELETE FROM {table} WHERE session = :id"), {"id": session})  # noqa: S608 - literal names
            connection.execute(text("DELETE FROM served_sessions WHERE id = :id"), {"id": session})

    def session(self, session: str) -> SessionRow | None:
        with described(self._where), self._engine.connect() as connection:
            found = connection.execute(_ONE, {"id": session}).one_or_none()
        return None if found is None else _row(found)

    def open_sessions(self) -> list[SessionRow]:
        with described(self._where), self._engine.connect() as connection:
            return [_row(found) for found in connection.execute(_ALL)]

    def events(self, session: str) -> list[dict[str, Any]]:
        with described(self._where), self._engine.connect() as connection:
            return [json.loads(row.data) for row in connection.execute(_NEWER, {"id": session, "n": 0})]

    def effects(self, session: str) -> list[dict[str, Any]]:
        with described(self._where), self._engine.connect() as connection:
            return [json.loads(row.data) for row in connection.execute(_EFFECTS, {"id": session})]

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with described(self._where), self._engine.connect() as connection:
            if not self.shared:
                # FULL: what is acknowledged survives a power cut, not only a killed process.
                connection.exec_driver_sql("PRAGMA synchronous = FULL")
            connection.exec_driver_sql("BEGIN" if self.shared else "BEGIN IMMEDIATE")
            try:
                yield connection
                connection.exec_driver_sql("COMMIT")
            except BaseException:
                connection.connection.rollback()
                raise


def _row(found: Any) -> SessionRow:
    verdict = None if found.verdict is None else json.loads(found.verdict)
    return SessionRow(found.id, json.loads(found.order_json), found.created, bool(found.ended), verdict)
