"""The journal itself, in SQLite and in PostgreSQL: leases, fencing, evidence, versions of its schema."""

import os
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from client import postgres
from sqlalchemy import inspect

from faultlab.core.errors import BadInput, HarnessFault, StoreError
from faultlab.records.journal import open_journal
from faultlab.records.journal_engine import engine_for
from faultlab.records.journal_migrations import JOURNAL_MIGRATIONS, migrate_journal
from faultlab.records.journal_rows import CallRow, Journal, OperationRow, ReceiptRow
from faultlab.records.journal_tables import JOURNAL_METADATA
from faultlab.records.migrations import Migration

OPERATION = OperationRow("op-1", "r", "refund", "A17", "", {"order_id": "A17"}, "d1", 100)
LEASE = 50


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    if (reason := postgres.why_not()) is not None:
        pytest.skip(reason)
    with postgres.server(postgres.folder()) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "folder" / "journal.db")
    return postgres.new_database(request.getfixturevalue("database"), f"j{os.urandom(4).hex()}")


@pytest.fixture
def journal(place: str) -> Iterator[Journal]:
    made = open_journal(place)
    yield made
    made.close()


def call(n: int, lease_n: int, kind: str = "write", until: int = 500) -> CallRow:
    return CallRow("op-1", n, 100 + n, "refund", kind, "d1", "k", "r", None, None, lease_n, until)


def receipt(n: int, outcome: str = "applied") -> ReceiptRow:
    return ReceiptRow("op-1", n, 200 + n, outcome, 200, None, {"age": "0"}, {"id": [1, "ü"]}, [["", "", "k"]])


def test_what_is_written_comes_back(journal: Journal) -> None:
    claimed = journal.claim(OPERATION, 100, LEASE)
    assert (claimed.mine, claimed.calls, claimed.receipts) == (True, (), ())
    assert claimed.row == OPERATION._replace(ordinal=1, lease_n=1, lease_until_ns=150)
    assert journal.sending(call(1, 1), {"order_id": "A17"})
    journal.received([], [receipt(1, "unknown")])
    journal.received([call(2, 1, "read")], [receipt(2)])
    found = journal.claim(OPERATION, 600, LEASE)
    assert found.calls == (call(1, 1), call(2, 1, "read"))
    assert found.receipts == (receipt(1, "unknown"), receipt(2))
    journal.settle(found.row, "done", {"id": 1}, 700, [], [])
    (row,) = journal.find("done")
    assert (row.state, row.value, row.settled_ns, row.lease_until_ns) == ("done", {"id": 1}, 700, 0)
    assert journal.find("open") == []


def test_a_lease_is_given_to_one_and_after_its_end_to_the_next(journal: Journal) -> None:
    first = journal.claim(OPERATION, 100, LEASE)
    assert not journal.claim(OPERATION, 149, LEASE).mine
    second = journal.claim(OPERATION, 150, LEASE)
    assert second.mine
    assert second.row.lease_n == first.row.lease_n + 1
    assert not journal.sending(call(1, first.row.lease_n), {})
    assert journal.sending(call(1, second.row.lease_n), {})
    assert [row.lease_n for row in journal.claim(OPERATION, 200, LEASE).calls] == [2]


def test_a_lease_that_nobody_took_still_holds_for_its_owner(journal: Journal) -> None:
    journal.claim(OPERATION, 100, LEASE)
    assert journal.sending(call(1, 1, until=900), {})
    assert not journal.claim(OPERATION, 899, LEASE).mine


def test_a_lease_that_was_given_back_is_free_at_once(journal: Journal) -> None:
    journal.release(journal.claim(OPERATION, 100, LEASE).row)
    assert journal.claim(OPERATION, 101, LEASE).mine
    journal.release(OPERATION._replace(lease_n=1))  # by its old number: it is not his any more
    assert not journal.claim(OPERATION, 102, LEASE).mine


def test_a_late_receipt_counts_and_a_late_question_does_not(journal: Journal) -> None:
    journal.claim(OPERATION, 100, LEASE)
    journal.sending(call(1, 1, until=150), {})
    journal.claim(OPERATION, 150, LEASE)
    assert journal.sending(call(2, 2), {})
    journal.received([call(2, 1, "read")], [receipt(1), receipt(2)])  # the first one's question had number 2, too
    found = journal.claim(OPERATION, 600, LEASE)
    assert found.calls == (call(1, 1, until=150), call(2, 2))
    assert found.receipts == (receipt(1),)


def test_proof_overrides_a_hand_over_and_nothing_else_of_a_lost_lease(journal: Journal) -> None:
    first = journal.claim(OPERATION, 100, LEASE).row
    second = journal.claim(OPERATION, 150, LEASE).row
    journal.settle(first, "not_done", None, 160, [], [])
    assert [row.state for row in journal.find("open")] == ["open"]
    journal.settle(second, "handed_over", None, 170, [], [])
    journal.settle(first, "done", {"id": 7}, 180, [], [])
    assert [row.value for row in journal.find("done")] == [{"id": 7}]
    assert not journal.claim(OPERATION, 999, LEASE).mine  # done is done


def test_a_batch_that_is_refused_leaves_nothing_behind(journal: Journal) -> None:
    row = journal.claim(OPERATION, 100, LEASE).row
    journal.sending(call(1, 1), {})
    with pytest.raises(HarnessFault, match="refused a row"):
        journal.settle(row, "done", None, 200, [], [receipt(1), receipt(1)])
    assert journal.claim(OPERATION, 999, LEASE).receipts == ()
    assert journal.find("done") == []


def test_ordinals_count_the_operations_of_one_identity(journal: Journal) -> None:
    for number, (identity, ordinal) in enumerate([("A17", 1), ("A17", 2), ("B92", 1), ("A17", 3)]):
        new = OPERATION._replace(id=f"op-{number}", identity=identity, name=str(number))
        assert journal.claim(new, 100, LEASE).row.ordinal == ordinal


def test_many_at_once_get_one_lease_and_ordinals_without_gaps(journal: Journal) -> None:
    barrier = threading.Barrier(8)

    def take(number: int) -> tuple[bool, int]:
        barrier.wait()
        same = journal.claim(OPERATION, 100, LEASE)
        own = journal.claim(OPERATION._replace(id=f"own-{number}", identity="B92", name=str(number)), 100, LEASE)
        return same.mine, own.row.ordinal

    with ThreadPoolExecutor(8) as pool:
        told = list(pool.map(take, range(8)))
    assert sum(mine for mine, _ in told) == 1
    assert sorted(ordinal for _, ordinal in told) == list(range(1, 9))


def test_the_run_of_a_journal_is_made_once(place: str) -> None:
    def ask(_: int) -> str:
        journal = open_journal(place)
        try:
            return journal.run_id()
        finally:
            journal.close()

    with ThreadPoolExecutor(6) as pool:
        names = set(pool.map(ask, range(6)))
    assert len(names) == 1


def test_values_that_are_no_json_are_kept_by_their_members(journal: Journal) -> None:
    @dataclass
    class Refund:
        id: str

    row = journal.claim(OPERATION, 100, LEASE).row
    journal.settle(row, "done", {"refund": Refund("re_1"), "path": Path("x")}, 200, [], [])
    assert journal.find("done")[0].value == {"refund": {"id": "re_1"}, "path": "x"}


def test_the_tables_are_those_of_the_models(place: str) -> None:
    open_journal(place).close()
    engine = engine_for(place)
    with engine.connect() as connection:
        inspector = inspect(connection)
        for name, table in JOURNAL_METADATA.tables.items():
            columns = {column["name"]: column["nullable"] for column in inspector.get_columns(name)}
            assert columns == {column.name: bool(column.nullable) for column in table.columns}
            key = inspector.get_pk_constraint(name)["constrained_columns"]
            assert key == [column.name for column in table.primary_key.columns]
        assert set(JOURNAL_METADATA.tables) | {"journal_schema_version"} == set(inspector.get_table_names())
    engine.dispose()


def test_a_later_version_of_the_schema_is_reached_and_an_older_program_says_so(place: str) -> None:
    open_journal(place).close()
    later = (*JOURNAL_MIGRATIONS, Migration(2, ("ALTER TABLE journal_meta ADD COLUMN note VARCHAR",)))
    engine = engine_for(place)
    with engine.connect() as connection:
        migrate_journal(connection, place, later)
        assert "note" in {column["name"] for column in inspect(connection).get_columns("journal_meta")}
    engine.dispose()
    with pytest.raises(StoreError, match=r"written by a newer faultlab: its schema is version 2.*up to 1"):
        open_journal(place)


def test_a_migration_that_fails_leaves_the_journal_as_it_was(place: str) -> None:
    open_journal(place).close()
    broken = (*JOURNAL_MIGRATIONS, Migration(2, ("CREATE TABLE journal_new (x INTEGER)", "NONSENSE")))
    engine = engine_for(place)
    with engine.connect() as connection, pytest.raises(Exception, match="NONSENSE"):
        migrate_journal(connection, place, broken)
    with engine.connect() as connection:
        assert not inspect(connection).has_table("journal_new")
    engine.dispose()
    open_journal(place).close()


@pytest.mark.parametrize(("fsync", "modes"), [(True, {"claim": 1, "sending": 2}), (False, {"claim": 1, "sending": 1})])
def test_what_waits_for_the_disk(fsync: bool, modes: dict[str, int], tmp_path: Path) -> None:
    """SQLite: synchronous 2 is FULL, 1 is NORMAL. A request is on the disk before it leaves, a lease need not be."""
    journal: Any = open_journal(str(tmp_path / "j.db"), fsync=fsync)
    seen: dict[str, int] = {}

    def mode(name: str) -> None:
        with journal._connected() as connection:
            seen[name] = connection.exec_driver_sql("PRAGMA synchronous").scalar_one()

    journal.claim(OPERATION, 100, LEASE)
    mode("claim")
    journal.sending(call(1, 1), {})
    mode("sending")
    journal.close()
    assert seen == modes


@pytest.mark.parametrize(
    ("place", "error", "told"),
    [
        ("mysql://host/name", BadInput, "write a path, sqlite:///PATH or postgresql://"),
        ("postgresql://tests:secret@127.0.0.1:1/none", StoreError, "cannot be used"),
        ("sqlite://", BadInput, "write a path"),
        ("nonsense://:a:b", BadInput, "write a path"),
    ],
)
def test_a_place_that_cannot_be_used_is_named(place: str, error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told) as raised:
        open_journal(place)
    assert "secret" not in str(raised.value)


def test_a_file_of_another_kind_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, but long enough to look at " * 30, encoding="utf-8")
    with pytest.raises(StoreError, match=r"notes\.txt cannot be used: file is not a database"):
        open_journal(str(path))
    assert path.read_text(encoding="utf-8").startswith("not a database")


def test_it_may_share_a_file_with_other_tables(tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    with sqlite3.connect(path) as rows:
        rows.execute("CREATE TABLE customers (id)")
    rows.close()
    journal = open_journal(str(path))
    assert journal.claim(OPERATION, 100, LEASE).mine
    journal.close()


def test_a_forked_process_has_connections_of_its_own(tmp_path: Path) -> None:
    journal = open_journal(str(tmp_path / "j.db"))
    journal.claim(OPERATION, 100, LEASE)
    child = os.fork()
    if child == 0:  # pragma: no cover - in the other process
        ok = not journal.claim(OPERATION, 120, LEASE).mine and journal.claim(OPERATION, 150, LEASE).mine
        os._exit(0 if ok else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert journal.claim(OPERATION, 160, LEASE).row.lease_n == 2
    journal.close()
