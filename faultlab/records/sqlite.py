"""Where a store lives: find, prepare and open its SQLite file, with one clear error for each obstacle."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, InterfaceError, ProgrammingError

from faultlab.core.errors import HarnessFault, StoreError
from faultlab.records.scrub import scrub

DEFAULT_PATH = ".faultlab/lab.db"
MEMORY = "memory"
BUSY_S = 30
"""How long a writer waits for another one before it gives up."""


def path_of(url: str | None) -> Path:
    """The file that `--store` means."""
    if url is None:
        return Path(DEFAULT_PATH)
    if "://" not in url:
        return Path(url)
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise StoreError(f"--store {scrub(url)}: {error}; write sqlite:///PATH or a path") from error
    if parsed.get_backend_name() != "sqlite":
        kind = parsed.get_backend_name()
        raise StoreError(f"--store {scrub(url)}: runs are kept in SQLite, not in {kind}; write sqlite:///PATH")
    if not parsed.database or parsed.database == ":memory:":
        raise StoreError(f"--store {url} names no file; write sqlite:///PATH, or `{MEMORY}` to keep nothing")
    return Path(parsed.database)


def prepare(path: Path) -> None:
    """Make the folder, and refuse what can never be a store before SQLite touches it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        is_folder = path.is_dir()
    except OSError as error:
        why = "a file stands in its place" if isinstance(error, FileExistsError) else error.strerror
        raise StoreError(
            f"the folder {path.parent} for the store cannot be used: {why}. "
            f"Name a file that you may write to with --store, or `--store {MEMORY}` to keep nothing"
        ) from error
    if is_folder:
        raise StoreError(f"{path} is a folder; --store needs a file, such as {path / 'lab.db'}")


def engine_of(path: Path) -> Engine:
    """In autocommit mode: the transactions are written out where they are needed."""
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        isolation_level="AUTOCOMMIT",
        connect_args={"timeout": BUSY_S},
    )

    def on_connect(connection: sqlite3.Connection, _record: object) -> None:
        # Holds for a new file only: an attempt takes some 5 KiB, and pages of 4 KiB would leave a part of many unused.
        connection.execute("PRAGMA page_size = 16384")
        # NORMAL in WAL mode: a killed process loses nothing that was committed, only a power cut could.
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")

    event.listen(engine, "connect", on_connect)
    return engine


_CAUSES = (
    ("file is not a database", "is not a SQLite file. Name another file with --store"),
    (
        "database is locked",
        f"has been locked by another process for {BUSY_S} s. Let it finish, or name another file",
    ),
    (
        "unable to open database file",
        "cannot be opened or made. Name a file that you may write to with --store",
    ),
    ("readonly database", "may not be written. Name a file that you may write to with --store"),
    ("disk is full", "cannot grow: the disk is full. What was committed before is kept"),
)


@contextmanager
def explained(where: str) -> Iterator[None]:
    """Database errors as ours: a refused row is a fault of the harness, all else is about the file."""
    try:
        yield
    except (IntegrityError, InterfaceError, ProgrammingError) as error:
        raise HarnessFault(f"{where} refused a row: {error.orig}. Nothing of its batch was stored") from error
    except DBAPIError as error:
        text = str(error.orig)
        cause = next((known for mark, known in _CAUSES if mark in text), f"cannot be used: {text}")
        raise StoreError(f"{where} {cause}") from error


def undo(connection: Connection) -> None:
    """Roll back whatever was begun. Of a connection that Ctrl-C caught at work SQLAlchemy has let go: that undid it."""
    if not connection.invalidated:
        connection.connection.rollback()
