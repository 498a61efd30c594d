"""The file's schema equals the models, moves forward whole, and every unusable place has one clear error."""

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, inspect

from faultlab.core.errors import StoreError
from faultlab.records.migrations import MIGRATIONS, Migration, migrate
from faultlab.records.rows import LAB_FIELDS, RECORD_FIELDS, AttemptRow
from faultlab.records.sqlite import DEFAULT_PATH, engine_of
from faultlab.records.store import Store
from faultlab.records.tables import METADATA

NewRun = Callable[..., int]
MakeRow = Callable[..., AttemptRow]


def shape(engine: Engine) -> dict[str, Any]:
    """All that SQLite reports of the tables, in the order of their columns."""
    seen = inspect(engine)
    return {
        table: (
            [(column["name"], str(column["type"]), column["nullable"]) for column in seen.get_columns(table)],
            seen.get_pk_constraint(table)["constrained_columns"],
            sorted((key["constrained_columns"], key["referred_table"]) for key in seen.get_foreign_keys(table)),
        )
        for table in seen.get_table_names()
        if table != "schema_version"
    }


def test_a_migrated_file_has_the_columns_of_the_models(tmp_path: Path) -> None:
    Store.open(str(tmp_path / "migrated.db")).close()
    modelled = create_engine(f"sqlite:///{tmp_path / 'modelled.db'}")
    METADATA.create_all(modelled)
    migrated = engine_of(tmp_path / "migrated.db")
    assert shape(migrated) == shape(modelled)
    modelled.dispose()
    migrated.dispose()


def test_rows_map_to_the_tables_and_the_record_has_21_fields() -> None:
    assert tuple(METADATA.tables["attempts"].columns.keys()) == RECORD_FIELDS
    assert tuple(METADATA.tables["attempt_lab"].columns.keys()) == LAB_FIELDS
    assert (
        *("task_id", "attempt_id", "request_id", "config_ref", "input_sha256", "initial_state_ref"),
        *("grader_ref", "started_at", "ended_at", "verdict", "failed_checks", "artifact_ref", "trace_ref"),
        *("tool_retries", "human_help", "elapsed_seconds", "cost", "currency", "dependency_error"),
        *("excluded_reason", "rerun_of"),
    ) == RECORD_FIELDS


def test_versions_are_numbered_without_a_gap() -> None:
    assert [migration.version for migration in MIGRATIONS] == list(range(1, len(MIGRATIONS) + 1))


def test_an_older_file_moves_forward_with_its_attempts(tmp_path: Path, new_run: NewRun, row: MakeRow) -> None:
    path = tmp_path / "lab.db"
    store = Store.open(str(path))
    store.append([row(new_run(store), 1)])
    store.close()
    longer = (*MIGRATIONS, Migration(len(MIGRATIONS) + 1, ("ALTER TABLE runs ADD COLUMN note VARCHAR",)))
    engine = engine_of(path)
    with engine.connect() as connection:
        migrate(connection, str(path), longer)
        migrate(connection, str(path), longer)
        assert connection.exec_driver_sql("SELECT run, note FROM runs").all() == [(1, None)]
        assert connection.exec_driver_sql("SELECT COUNT(*) FROM attempts").scalar_one() == 1
        versions = connection.exec_driver_sql("SELECT version FROM schema_version").scalars().all()
    engine.dispose()
    assert versions == [migration.version for migration in longer]


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "lab.db"
    Store.open(str(path)).close()
    engine = engine_of(path)
    before = shape(engine)
    broken = Migration(len(MIGRATIONS) + 1, ("ALTER TABLE runs ADD COLUMN note VARCHAR", "SELECT * FROM nowhere"))
    with engine.connect() as connection, pytest.raises(Exception, match="no such table: nowhere"):
        migrate(connection, str(path), (*MIGRATIONS, broken))
    assert shape(engine) == before
    engine.dispose()
    Store.open(str(path)).close()


def test_a_newer_file_is_refused_with_both_versions_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "lab.db"
    Store.open(str(path)).close()
    raw = sqlite3.connect(path)
    raw.execute("INSERT INTO schema_version VALUES (99, 0)")
    raw.commit()
    raw.close()
    newest = MIGRATIONS[-1].version
    with pytest.raises(StoreError, match=f"lab.db.*version 99.*up to {newest}.*[Uu]pgrade.*--store"):
        Store.open(str(path))


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    raw = sqlite3.connect(path)
    raw.execute("CREATE TABLE customers (id INTEGER)")
    raw.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"app\.db is a database of another program \(it holds customers\)"):
        Store.open(str(path))
    assert path.read_bytes() == before


def test_a_place_that_cannot_hold_a_store_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a database, but long enough to be looked at\n" * 40)
    for place, problem in (
        (tmp_path, "is a folder"),
        (tmp_path / "notes.txt", "is not a SQLite file"),
        (tmp_path / "notes.txt" / "lab.db", "a file stands in its place"),
        (tmp_path / "notes.txt" / "deep" / "lab.db", "Not a directory"),
    ):
        with pytest.raises(StoreError, match=problem) as caught:
            Store.open(str(place))
        assert str(tmp_path) in str(caught.value)
        assert "--store" in str(caught.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_place_without_write_permission_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    for place in (tmp_path / "lab.db", tmp_path / "folder" / "lab.db"):
        with pytest.raises(StoreError, match="may write to"):
            Store.open(str(place))
    tmp_path.chmod(0o700)


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("postgresql://me:hunter2@host/lab", "not in postgresql"),
        ("sqlite://", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("://", "write sqlite:///PATH"),
    ],
)
def test_a_url_that_names_no_file_is_explained(url: str, problem: str) -> None:
    with pytest.raises(StoreError, match=problem) as caught:
        Store.open(url)
    assert "hunter2" not in str(caught.value)


def test_without_a_name_the_store_is_in_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, new_run: NewRun
) -> None:
    monkeypatch.chdir(tmp_path)
    by_default = Store.open()
    assert by_default.where == DEFAULT_PATH
    run = new_run(by_default)
    by_default.close()
    by_url = Store.open(f"sqlite:///{DEFAULT_PATH}")
    assert by_url.run("last").run == run
    by_url.close()
