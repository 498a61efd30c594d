"""A SQLite file that several open for the first time at once: the one that SQLite turns away asks again."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine
from sqlalchemy.exc import OperationalError

from faultlab.records.write_ahead import write_ahead


@pytest.fixture
def busy(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A connection in the middle of a write to a file that is not in write-ahead mode yet."""
    made = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
    made.execute("CREATE TABLE t (x)")
    made.execute("BEGIN IMMEDIATE")
    yield made
    made.close()


def test_who_is_turned_away_asks_again(busy: sqlite3.Connection, tmp_path: Path) -> None:
    refused: list[str] = []
    with sqlite3.connect(tmp_path / "x.db", timeout=600) as other:

        def execute(statement: str) -> object:
            try:
                return other.execute(statement)
            except sqlite3.OperationalError as error:  # at once, whatever its time-out is
                refused.append(error.sqlite_errorname)
                busy.execute("COMMIT")
                raise

        write_ahead(execute, 600)
        assert refused == ["SQLITE_BUSY"]
        assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    other.close()


def test_patience_ends(busy: sqlite3.Connection, tmp_path: Path) -> None:
    assert busy.in_transaction
    engine = create_engine(f"sqlite:///{tmp_path / 'x.db'}", isolation_level="AUTOCOMMIT")
    with engine.connect() as other, pytest.raises(OperationalError, match="database is locked"):
        write_ahead(other.exec_driver_sql, 0)
    engine.dispose()


def test_no_other_error_is_asked_again() -> None:
    asked: list[str] = []

    def execute(statement: str) -> object:
        asked.append(statement)
        raise sqlite3.OperationalError("disk I/O error")

    with pytest.raises(sqlite3.OperationalError, match="disk I/O error"):
        write_ahead(execute, 600)
    assert len(asked) == 1
