"""What goes in comes out, nothing is ever replaced, and both stores refuse the same."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite as SQLiteDialect

from faultlab.core.errors import BadInput, HarnessFault
from faultlab.records.port import RunStore
from faultlab.records.rows import AttemptRow, CellTally, encode
from faultlab.records.store import PAGE, Store

NewRun = Callable[..., int]
MakeRow = Callable[..., AttemptRow]


@pytest.fixture(params=["file", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[RunStore]:
    opened = Store.open("memory" if request.param == "memory" else str(tmp_path / "lab.db"))
    yield opened
    opened.close()


def test_a_row_comes_back_whole_and_light_rows_leave_the_history_out(
    store: RunStore, new_run: NewRun, row: MakeRow
) -> None:
    run = new_run(store)
    given = [row(run, 2, twin=None, cost=None, currency="unknown"), row(run, 1)]
    store.append(given)
    assert store.attempt(run, 2) == given[0]
    assert store.attempt("last", 1) == given[1]
    assert list(store.attempts(run)) == [given[1]._replace(history=None), given[0]._replace(history=None)]


def test_a_run_keeps_what_was_asked_for_and_ends_once(store: RunStore, new_run: NewRun) -> None:
    first, second = new_run(store, seed=-(2**63)), new_run(store, seed=2**63 - 1)
    assert (first, second) == (1, 2)
    store.finish(first)
    assert (store.run(1).seed, store.run(1).finished) == (-(2**63), True)
    latest = store.run("last")
    assert (latest.run, latest.seed, latest.finished) == (2, 2**63 - 1, False)
    assert (latest.argv, latest.agents, latest.scenarios) == (
        ("run", "careful"),
        ("careful",),
        ("lost-receipt",),
    )
    assert latest.protocol == {"k": 5, "clock": "virtual"}


def test_more_attempts_than_a_page_come_in_order(store: RunStore, new_run: NewRun, row: MakeRow) -> None:
    run, other = new_run(store), new_run(store)
    store.append([row(run, number) for number in range(PAGE + 3, 0, -1)])
    store.append([row(other, 1)])
    assert [found.number for found in store.attempts(run)] == list(range(1, PAGE + 4))


@pytest.mark.parametrize(
    ("number", "changes"),
    [
        (1, {}),
        (2, {"attempt_id": "1:1"}),
        (0, {}),
        (2, {"cost": None}),
        (2, {"cost": 0.0, "currency": "unknown"}),
        (2, {"verdict": "PASS"}),
        (2, {"rerun_of": "1:99"}),
        (2, {"run": 5}),
        (2, {"history": None}),
        (3, {}),
    ],
    ids=["number", "id", "zero", "unknown-cost", "zero-cost", "verdict", "rerun", "run", "light", "in-batch"],
)
def test_a_refused_row_takes_its_batch_with_it(
    store: RunStore, number: int, changes: dict[str, Any], new_run: NewRun, row: MakeRow
) -> None:
    run = new_run(store)
    store.append([row(run, 1)])
    with pytest.raises(HarnessFault, match="Nothing of its batch was stored"):
        store.append([row(run, 3), row(run, number)._replace(**changes)])
    assert [found.number for found in store.attempts(run)] == [1]


def test_a_rerun_is_a_new_row_that_names_the_old_one(store: RunStore, new_run: NewRun, row: MakeRow) -> None:
    run = new_run(store)
    store.append([row(run, 1, verdict="infra_error")])
    store.append([row(run, 2, verdict="pass", rerun_of="1:1")])
    assert [(found.verdict, found.rerun_of) for found in store.attempts(run)] == [
        ("infra_error", None),
        ("pass", "1:1"),
    ]


def test_missing_runs_and_attempts_are_named_with_what_is_there(store: RunStore, new_run: NewRun, row: MakeRow) -> None:
    with pytest.raises(BadInput, match="holds no run yet"):
        store.run("last")
    run = new_run(store)
    with pytest.raises(BadInput, match=r"no attempt 1:4 .*holds no attempt yet"):
        store.attempt(run, 4)
    store.append([row(run, 1)])
    with pytest.raises(BadInput, match=r"no attempt 1:4 .*numbered up to 1"):
        store.attempt("last", 4)
    for ask in (lambda: store.run(8), lambda: store.attempts(8), lambda: store.finish(8)):
        with pytest.raises(BadInput, match=r"no run 8 .*numbered up to 1"):
            ask()
    with pytest.raises(BadInput, match="too large"):
        new_run(store, seed=2**63)


def test_the_latest_run_of_each_cell_counts(store: RunStore, new_run: NewRun, row: MakeRow) -> None:
    first, second = new_run(store), new_run(store)
    cells: list[AttemptRow] = [
        row(first, 1, verdict="fail"),
        row(first, 2, verdict="fail", twin=None),
        row(first, 3, verdict="timeout", twin=None),
        row(first, 4, verdict="infra_error", twin=None),
        row(first, 5, verdict="pass", agent="claimer"),
        row(second, 1, verdict="pass"),
        row(second, 2, verdict="pass"),
    ]
    store.append(cells)
    careful = {
        CellTally("careful", "lost-receipt", "strict", "committed", second, 2, 0, 0),
        CellTally("careful", "lost-receipt", "strict", None, first, 0, 2, 1),
    }
    claimer = CellTally("claimer", "lost-receipt", "strict", "committed", first, 1, 0, 0)
    assert set(store.latest_verdicts()) == {*careful, claimer}
    assert set(store.latest_verdicts(["careful"])) == careful
    assert store.latest_verdicts([]) == []


def test_no_secret_reaches_the_store(store: RunStore, new_run: NewRun, row: MakeRow) -> None:
    run = store.new_run(
        seed=1,
        argv=["run", "--api-key=hunter2"],
        version="0",
        agents=[],
        scenarios=[],
        protocol={"password": "hunter2"},
    )
    history = encode({"headers": {"authorization": "Bearer hunter2hunter2"}, "body": {"order": "A17"}})
    store.append([row(run, 1, history=history, findings=encode([["FL1", "fail", [], "password=hunter2"]]))])
    store.append([row(run, 2, dependency_error="ConnectError: https://me:hunter2@host/ refused")])
    assert "hunter2" not in repr([store.run(run), store.attempt(run, 1), store.attempt(run, 2)])
    assert '"order":"A17"' in (store.attempt(run, 1).history or "")


@pytest.mark.parametrize("table", ["attempts", "attempt_lab"])
@pytest.mark.parametrize("change", ["UPDATE {} SET attempt_id = 'x'", "DELETE FROM {}"])
def test_the_file_itself_refuses_to_change_an_attempt(
    tmp_path: Path, table: str, change: str, new_run: NewRun, row: MakeRow
) -> None:
    opened = Store.open(str(tmp_path / "lab.db"))
    run = new_run(opened)
    opened.append([row(run, 1)])
    opened.close()
    stranger = sqlite3.connect(tmp_path / "lab.db")
    with pytest.raises(sqlite3.IntegrityError, match=f"{table} is append-only"):
        stranger.execute(change.format(table))
    stranger.close()


def test_rows_and_the_memory_store_load_without_a_database_library() -> None:
    script = (
        "import sys; import faultlab.records.rows, faultlab.records.memory; "
        "print(sorted({'sqlmodel', 'sqlalchemy', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_ctrl_c_in_the_midst_of_a_statement_stays_ctrl_c(
    tmp_path: Path, new_run: NewRun, row: MakeRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not an error of the database; what was begun is undone, and the store can be used again."""
    store = Store.open(str(tmp_path / "lab.db"))
    run = new_run(store)
    ask = SQLiteDialect.do_execute

    def interrupted(self: SQLiteDialect, cursor: Any, statement: str, *args: Any, **more: Any) -> None:
        ask(self, cursor, statement, *args, **more)
        if statement.strip().startswith(("UPDATE runs", "CREATE TABLE runs")):
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(SQLiteDialect, "do_execute", interrupted)
        with pytest.raises(KeyboardInterrupt):
            store.finish(run)
        with pytest.raises(KeyboardInterrupt):
            Store.open(str(tmp_path / "other.db"))
    assert not store.run(run).finished
    store.finish(run)
    assert store.run(run).finished
    store.close()
    Store.open(str(tmp_path / "other.db")).close()
