"""A journal in hard times: answers that JSON cannot hold, no free connection, a database that drops or delays."""

import json
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from client import postgres

from faultlab.client.client import ToolClient
from faultlab.client.tool_spec import ToolSpec
from faultlab.core.errors import StoreError
from faultlab.records.journal import open_journal
from faultlab.records.journal_engine import engine_for
from faultlab.records.journal_rows import CallRow, OperationRow
from faultlab.records.journal_sql import SqlJournal

CYCLE: dict[str, Any] = {"id": 7}
CYCLE["me"] = CYCLE
DEEP: list[Any] = []
for _ in range(100_000):
    DEEP = [DEEP]


class Rude:
    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize("contract", ["none", "strict"])
@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (json.loads('{"id": "\\ud83d"}'), {"id": "\ud83d"}),
        ({"id": 7, "by": {("a", "b"): 1}}, {"id": 7, "by": "(left out: a dict that JSON cannot hold, TypeError)"}),
        (CYCLE, {"id": 7, "me": "(left out: a dict that JSON cannot hold, ValueError)"}),
        ([1, Rude()], [1, "(left out: a Rude that JSON cannot hold, RuntimeError)"]),
    ],
)
def test_an_answer_that_cannot_be_stored_is_a_receipt_all_the_same(
    contract: str, value: Any, kept: Any, tmp_path: Path
) -> None:
    def pay(order_id: str, idempotency_key: str = "") -> Any:
        return value

    with ToolClient(tmp_path / "journal.db", run="r") as client:
        client.add(ToolSpec.of(pay, contract=contract, identity=["order_id"]))
        first, again = client.call("pay", order_id="A"), client.call("pay", order_id="A")
        assert (first.status, again.status) == ("done", "done")
        assert first.value is value
        assert again.value == kept
        assert client.reconcile() == []


def test_an_answer_that_is_nested_too_deeply_is_cut(tmp_path: Path) -> None:
    journal = open_journal(str(tmp_path / "journal.db"))
    found = journal.claim(OperationRow("op", "r", "pay", "A", "", {}, "d", 100), 100, 50)
    journal.settle(found.row, "done", DEEP, 120, [], [])
    (row,) = journal.find("done")
    assert "(left out: a list that JSON cannot hold, RecursionError)" in json.dumps(row.value)
    journal.close()


def test_where_no_connection_is_free_it_is_a_store_error(tmp_path: Path) -> None:
    place = str(tmp_path / "journal.db")
    open_journal(place).close()
    engine = engine_for(place)
    engine.pool._timeout = 0.1  # type: ignore[attr-defined]  # else half a minute
    journal = SqlJournal(engine, place, fsync=False)
    held = [engine.connect() for _ in range(15)]
    with pytest.raises(StoreError, match=r"cannot be used: QueuePool limit.*call reconcile\(\)"):
        journal.find("open")
    for connection in held:
        connection.close()
    assert journal.find("open") == []
    journal.close()


def test_what_is_interrupted_leaves_nothing_behind(tmp_path: Path) -> None:
    journal = open_journal(str(tmp_path / "journal.db"))
    assert isinstance(journal, SqlJournal)
    with pytest.raises(KeyboardInterrupt), journal._writing(durable=True) as connection:
        connection.exec_driver_sql("INSERT INTO journal_meta VALUES (1, 'half')")
        raise KeyboardInterrupt
    assert journal.run_id() != "half"
    with closing(sqlite3.connect(tmp_path / "journal.db", timeout=0)) as other:
        other.execute("BEGIN IMMEDIATE")  # nobody holds its lock
    journal.close()


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    if (reason := postgres.why_not()) is not None:
        pytest.skip(reason)
    with postgres.server(postgres.folder()) as url:
        yield postgres.new_database(url, f"j{os.urandom(4).hex()}")


def test_a_durable_write_waits_for_the_disk_whatever_the_role_says(database: str) -> None:
    journal = open_journal(database)
    assert isinstance(journal, SqlJournal)
    with journal._writing(durable=True) as connection:
        connection.exec_driver_sql("ALTER ROLE tests SET synchronous_commit = off")
    journal.close()
    journal = open_journal(database)
    assert isinstance(journal, SqlJournal)
    said = []
    for durable in (True, False):
        with journal._writing(durable=durable) as connection:
            said.append(connection.exec_driver_sql("SHOW synchronous_commit").scalar())
    assert said == ["on", "off"]
    journal.close()


def test_a_connection_that_the_server_ends_is_a_store_error_and_the_next_one_works(database: str) -> None:
    journal = open_journal(database)
    assert isinstance(journal, SqlJournal)
    first = journal.claim(OperationRow("op", "r", "pay", "A", "", {}, "d", 100), 100, 50)
    request = CallRow("op", 1, 110, "pay", "write", "d", None, None, None, None, 1, 150)
    with journal._connected() as blocker:
        blocker.exec_driver_sql("BEGIN")
        blocker.exec_driver_sql("UPDATE journal_operations SET lease_n = lease_n")
        ender = threading.Timer(0.5, end_waiting, (database,))
        ender.start()
        with pytest.raises(StoreError, match=r"(?s)terminating connection.*call reconcile\(\)"):
            journal.sending(request, {})
        ender.join()
        blocker.exec_driver_sql("ROLLBACK")
    assert journal.sending(request, {})
    assert first.mine
    journal.close()


def end_waiting(database: str) -> None:
    engine = engine_for(database)
    with engine.connect() as connection:
        connection.exec_driver_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
        )
    engine.dispose()
