"""records: a store for those who only look. Nothing is made, changed or left behind; it may be on a read-only disk."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import StaticPool

from faultlab.core.errors import StoreError
from faultlab.records.memory import MemoryStore
from faultlab.records.migrations import MIGRATIONS, migrate, version_of
from faultlab.records.port import RunStore, no_run
from faultlab.records.sqlite import BUSY_S, MEMORY, explained, path_of
from faultlab.records.store import Store


def open_reading(url: str | None = None) -> RunStore:
    """As `Store.open`, for reading alone. StoreError: there is none, or it cannot be read; BadInput: it is empty.

    An older file stays as it is: a copy in memory is brought up to date.
    """
    if url == MEMORY:
        return MemoryStore()
    path = path_of(url)
    _look(path)
    engine = _engine(path, _mode(path))
    try:
        with explained(str(path)), _connected(engine, path) as connection:
            version = version_of(connection, str(path))
            if version == 0:
                raise no_run("last", str(path), None)
            if version >= MIGRATIONS[-1].version:
                migrate(connection, str(path))  # of a newer one it says so
                return Store(engine, str(path))
            copy = _in_memory(connection)
    except BaseException:
        engine.dispose()
        raise
    engine.dispose()
    with explained(str(path)), copy.connect() as connection:
        migrate(connection, str(path))
    return Store(copy, str(path))


def _look(path: Path) -> None:
    """Raises StoreError where SQLite would only say that it cannot open the file."""
    try:
        if path.is_dir():
            raise StoreError(f"{path} is a folder; --store needs a file, such as {path / 'lab.db'}")
        path.open("rb").close()
    except (FileNotFoundError, NotADirectoryError):
        raise StoreError(
            f"there is no store {path}: `faultlab run` makes one; name another file with --store"
        ) from None
    except OSError as error:
        raise StoreError(f"the store {path} cannot be read: {error.strerror}; name another with --store") from None


def _mode(path: Path) -> str:
    """Where no writer is at work or was killed, the file is all there is, and SQLite need not make files beside it."""
    log = Path(f"{path}-wal")
    return "mode=ro" if log.exists() else "mode=ro&immutable=1"


def _engine(path: Path, mode: str) -> Engine:
    return _of(lambda: sqlite3.connect(f"file:{quote(str(path.absolute()))}?{mode}", uri=True, timeout=BUSY_S))


def _of(connect: Callable[[], sqlite3.Connection]) -> Engine:
    return create_engine("sqlite://", creator=connect, poolclass=StaticPool, isolation_level="AUTOCOMMIT")


def _connected(engine: Engine, path: Path) -> Connection:
    """Raises StoreError where a writer was killed and its log can be read only by one who may write beside it."""
    connection = engine.connect()
    try:
        connection.exec_driver_sql("SELECT 1 FROM sqlite_master LIMIT 1")
    except OperationalError as error:
        connection.close()
        if "unable to open" not in str(error.orig):
            raise
        raise StoreError(
            f"{path} is being written, or its last writer was killed, and {path}-wal cannot be read without"
            f" writing to {path.parent}. Copy {path.name}* to a folder that you may write to, and name it with --store"
        ) from error
    return connection


def _in_memory(connection: Connection) -> Engine:
    copy = sqlite3.connect(":memory:")
    source = connection.connection.driver_connection
    assert isinstance(source, sqlite3.Connection)
    source.backup(copy)
    return _of(lambda: copy)
