"""records: where a journal lives: a SQLite file or a PostgreSQL database, opened so that a commit is what it says."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError

from faultlab.core.errors import BadInput, HarnessFault, StoreError
from faultlab.records.scrub import scrub
from faultlab.records.write_ahead import write_ahead

BUSY_S = 30
"""How long a writer waits for another one before it gives up."""


def engine_for(where: str) -> Engine:
    """A path, `sqlite:///PATH`, or `postgresql://USER@HOST/NAME`. In autocommit mode: transactions are written out.

    BadInput: it is none of them, or the driver for PostgreSQL is missing. StoreError: it cannot be opened.
    """
    if where == ":memory:":
        raise BadInput("what is in memory ends with the process: name a file")
    if "://" not in where:
        return _sqlite(Path(where))
    try:
        url = make_url(where)
    except (ArgumentError, ValueError) as error:
        raise BadInput(f"journal {scrub(where)}: {error}; write a path, sqlite:///PATH or postgresql://...") from error
    backend = url.get_backend_name()
    if backend == "sqlite" and url.database and url.database != ":memory:":
        return _sqlite(Path(url.database))
    if backend != "postgresql":
        raise BadInput(f"journal {scrub(where)}: write a path, sqlite:///PATH or postgresql://USER@HOST/NAME")
    return _postgres(url)


def _sqlite(path: Path) -> Engine:
    if path.is_dir():
        raise BadInput(f"journal {path}: that is a folder; name a file in it, such as {path / 'journal.db'}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"the folder {path.parent} for the journal cannot be made: {error}") from error
    engine = create_engine(
        URL.create("sqlite", database=str(path)), isolation_level="AUTOCOMMIT", connect_args={"timeout": BUSY_S}
    )

    def on_connect(connection: sqlite3.Connection, _record: object) -> None:
        write_ahead(connection.execute, BUSY_S)
        connection.execute("PRAGMA foreign_keys = ON")

    event.listen(engine, "connect", on_connect)
    return engine


def _postgres(url: URL) -> Engine:
    try:
        return create_engine(url.set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT", pool_pre_ping=True)
    except ModuleNotFoundError as error:
        raise BadInput("a journal in PostgreSQL needs psycopg: pip install 'faultlab[postgres]'") from error


RECONCILE = "Nothing was sent that is not in it; call reconcile() when it can be used again"


@contextmanager
def described(where: str, what: str = "journal", advice: str = RECONCILE) -> Iterator[None]:
    """Database errors as ours, with what to do about them."""
    try:
        yield
    except IntegrityError as error:
        raise HarnessFault(f"the {what} {where} refused a row: {error.orig}") from error
    except DBAPIError as error:
        raise StoreError(f"the {what} {where} cannot be used: {error.orig}. {advice}") from error
