"""records: the sessions of a server, durable: each with its order, its events and its effects, in SQLite or PostgreSQL.

The events are the state: a session is rebuilt by letting its calls happen again, each at its own time. So an effect,
its key record and its history cannot come apart: they are one line of events, committed in one transaction.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, text

from faultlab.core.errors import FaultlabError
from faultlab.records.journal_engine import described, engine_for
from faultlab.records.own_file import OwnFile
from faultlab.records.served_migrations import migrate_served
from faultlab.records.sqlite import undo

ADVICE = "Nothing was acknowledged that is not in it; start the server again when it can be used"


def _described(where: str) -> AbstractContextManager[None]:
    return described(where, "store", ADVICE)


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
    """What is changed in one transaction."""

    events: Sequence["Line"] = ()
    effects: Sequence["Line"] = ()
    ends: Sequence["Line"] = ()
    """The verdicts of sessions that ended; `n` is 0."""
    orders: Sequence["Line"] = ()
    """New orders; `n` is 0."""
    gone: Sequence[str] = ()
    """Sessions that are deleted, after everything else."""

    @staticmethod
    def of(batches: Iterable["Batch"]) -> "Batch":
        """All of them as one."""
        return Batch(*[[line for lines in column for line in lines] for column in zip(*batches, strict=True)])

    def __bool__(self) -> bool:
        return any(map(bool, self))


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
_REORDER = text("UPDATE served_sessions SET order_json = :data WHERE id = :session AND :n = 0")
_LAST = text("SELECT n, data FROM served_effects WHERE session = :id ORDER BY n DESC LIMIT 1")
_ONE = text("SELECT * FROM served_sessions WHERE id = :id")
_ALL = text("SELECT * FROM served_sessions WHERE NOT ended ORDER BY created, id")
_NEWER = text("SELECT data FROM served_events WHERE session = :id AND n >= :n ORDER BY n")
_HELD = text("SELECT id FROM served_sessions WHERE id = :id FOR UPDATE")
_DELETE = [
    text("DELETE FROM served_events WHERE session = :id"),
    text("DELETE FROM served_effects WHERE session = :id"),
    text("DELETE FROM served_sessions WHERE id = :id"),
]


class Stored(NamedTuple):
    """What a store holds of a session that its reader has not seen."""

    events: list[dict[str, Any]]
    effects: int = 0
    """The place behind the last effect, from 0."""
    landed_ns: int = 0
    """When that took effect, which may be after the last event: what is late makes none."""


class Turn:
    """One transaction in which a session belongs to this process alone."""

    def __init__(self, connection: Connection, session: str, *, gone: bool) -> None:
        self._connection = connection
        self._session = session
        self.gone = gone
        """Another process has deleted it."""

    def stored(self, seen: int) -> Stored:
        """What other processes may have added behind `seen` events."""
        return _stored(self._connection, self._session, seen)

    def add(self, batch: Batch) -> None:
        _add(self._connection, batch)


def _stored(connection: Connection, session: str, seen: int) -> Stored:
    events = [json.loads(row.data) for row in connection.execute(_NEWER, {"id": session, "n": seen})]
    last = connection.execute(_LAST, {"id": session}).one_or_none()
    return Stored(events) if last is None else Stored(events, last.n + 1, json.loads(last.data)["t"])


def _add(connection: Connection, batch: Batch) -> None:
    changes = ((_EVENT, batch.events), (_EFFECT, batch.effects), (_END, batch.ends), (_REORDER, batch.orders))
    for statement, lines in changes:
        if lines:
            connection.execute(statement, [line._asdict() | {"data": encode(line.data)} for line in lines])
    for session in batch.gone:
        for statement in _DELETE:
            connection.execute(statement, {"id": session})


class ServedStore:
    """The store of one server. Each method is one transaction that waits for the disk."""

    def __init__(self, engine: Engine, where: str, own: OwnFile | None) -> None:
        self._engine = engine
        self._where = where
        self._own = own
        self.shared = engine.dialect.name == "postgresql"
        """Several processes may serve the same sessions."""

    @staticmethod
    def open(where: str) -> "ServedStore":
        """A path, `sqlite:///PATH`, or `postgresql://USER@HOST/NAME`. BadInput, StoreError: it cannot be used."""
        engine = engine_for(where)
        own = None if engine.url.database is None or engine.dialect.name != "sqlite" else OwnFile(engine.url.database)
        try:
            with _described(where), engine.connect() as connection:
                migrate_served(connection, where)
            if own is not None:
                own.check()
        except FaultlabError:
            if own is not None:
                own.close()
            raise
        return ServedStore(engine, where, own)

    def create(self, session: str, order: Mapping[str, Any], created: float) -> None:
        with self._writing() as connection:
            connection.execute(_OPEN, {"id": session, "order": encode(order), "created": created})

    def append(self, batch: Batch) -> None:
        """Change all or nothing; it is durable when this returns."""
        with self._writing() as connection:
            if self.shared:
                for session in batch.gone:
                    connection.execute(_HELD, {"id": session})  # behind the turns of other processes
            _add(connection, batch)

    @contextmanager
    def turn(self, session: str) -> Iterator[Turn]:
        """Hold a session against other processes, until what was added is durable. For a shared store."""
        with self._writing() as connection:
            gone = connection.execute(_HELD, {"id": session}).one_or_none() is None
            yield Turn(connection, session, gone=gone)

    def session(self, session: str) -> SessionRow | None:
        with _described(self._where), self._engine.connect() as connection:
            found = connection.execute(_ONE, {"id": session}).one_or_none()
        return None if found is None else _row(found)

    def open_sessions(self) -> list[SessionRow]:
        with _described(self._where), self._engine.connect() as connection:
            return [_row(found) for found in connection.execute(_ALL)]

    def stored(self, session: str) -> Stored:
        """All that was added since the session was opened."""
        with _described(self._where), self._engine.connect() as connection:
            return _stored(connection, session, 0)

    def close(self) -> None:
        self._engine.dispose()
        if self._own is not None:
            self._own.close()

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        with _described(self._where), self._engine.connect() as connection:
            if not self.shared:
                # FULL: what is acknowledged survives a power cut, not only a killed process.
                connection.exec_driver_sql("PRAGMA synchronous = FULL")
            connection.exec_driver_sql("BEGIN" if self.shared else "BEGIN IMMEDIATE")
            try:
                yield connection
                if self._own is not None:
                    self._own.check()
                connection.exec_driver_sql("COMMIT")
            except BaseException:
                undo(connection)
                raise


def _row(found: Any) -> SessionRow:
    verdict = None if found.verdict is None else json.loads(found.verdict)
    return SessionRow(found.id, json.loads(found.order_json), found.created, bool(found.ended), verdict)
