"""Who only looks at a store makes nothing, changes nothing and leaves nothing behind."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from faultlab.core.errors import BadInput, StoreError
from faultlab.records.migrations import MIGRATIONS, migrate
from faultlab.records.port import RunStore
from faultlab.records.reading import open_reading
from faultlab.records.rows import AttemptRow
from faultlab.records.sqlite import engine_of
from faultlab.records.store import Store

NewRun = Callable[..., int]
MakeRow = Callable[..., AttemptRow]

KILLED = """
import os, sys
from faultlab.records.store import Store
store = Store.open(sys.argv[1])
store.new_run(seed=1, argv=["x"], version="0", agents=["careful"], scenarios=[], protocol={})
os._exit(9)
"""


def filled(path: Path, new_run: NewRun, row: MakeRow) -> Path:
    store = Store.open(str(path))
    store.append([row(new_run(store), 1)])
    store.close()
    return path


def seen_in(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in folder.iterdir()}


def look(path: Path) -> list[int]:
    store: RunStore = open_reading(str(path))
    try:
        return [store.attempt(1, found.number).number for found in store.attempts("last")]
    finally:
        store.close()


def test_looking_leaves_the_folder_as_it_was(tmp_path: Path, new_run: NewRun, row: MakeRow) -> None:
    path = filled(tmp_path / "lab.db", new_run, row)
    before, changed = seen_in(tmp_path), tmp_path.stat().st_mtime_ns
    assert look(path) == [1]
    assert seen_in(tmp_path) == before and tmp_path.stat().st_mtime_ns == changed


def test_what_is_being_written_can_be_looked_at(tmp_path: Path, new_run: NewRun, row: MakeRow) -> None:
    writer = Store.open(str(tmp_path / "lab.db"))
    run = new_run(writer)
    writer.append([row(run, 1)])
    assert look(tmp_path / "lab.db") == [1]
    writer.append([row(run, 2)])
    assert look(tmp_path / "lab.db") == [1, 2]
    writer.close()


def test_what_a_killed_writer_left_is_read_and_stays(tmp_path: Path, new_run: NewRun, row: MakeRow) -> None:
    path = filled(tmp_path / "lab.db", new_run, row)
    subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False, timeout=60)
    names = sorted(file.name for file in tmp_path.iterdir())
    assert "lab.db-wal" in names
    store = open_reading(str(path))
    assert store.run("last").run == 2
    store.close()
    assert sorted(file.name for file in tmp_path.iterdir()) == names


@pytest.mark.parametrize("place", ["lab.db", "folder/lab.db"])
def test_a_store_that_is_not_there_is_told_and_not_made(tmp_path: Path, place: str) -> None:
    with pytest.raises(StoreError, match=r"there is no store .*lab\.db: `faultlab run` makes one"):
        open_reading(str(tmp_path / place))
    assert not list(tmp_path.iterdir())


def test_an_empty_file_holds_no_run_and_stays_empty(tmp_path: Path) -> None:
    (tmp_path / "lab.db").touch()
    with pytest.raises(BadInput, match="holds no run yet"):
        open_reading(str(tmp_path / "lab.db"))
    assert (tmp_path / "lab.db").read_bytes() == b""


def test_an_older_file_is_read_and_stays_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "lab.db"
    engine = engine_of(path)
    with engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA journal_mode = WAL")
        migrate(connection, str(path), MIGRATIONS[:1])
        connection.exec_driver_sql("INSERT INTO runs VALUES (1, 0, 7, '[]', '0', '[\"careful\"]', '[]', '{}', 1)")
    engine.dispose()
    before = seen_in(tmp_path)
    store = open_reading(str(path))
    assert store.run("last").agents == ("careful",) and not list(store.attempts("last"))
    store.close()
    assert seen_in(tmp_path) == before


def test_what_is_no_store_is_told(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("not a database, but long enough to be looked at\n" * 40)
    for place, said in ((tmp_path, "is a folder"), (tmp_path / "notes.txt", "is not a SQLite file")):
        with pytest.raises(StoreError, match=said):
            open_reading(str(place))


def without_rights(words: list[str]) -> list[str]:
    """The command without what root may do beyond others."""
    if os.geteuid() != 0:
        return words
    if shutil.which("setpriv") is None:
        pytest.skip("root may write everywhere")
    return ["setpriv", "--bounding-set=-all", "--inh-caps=-all", *words]


@pytest.mark.skipif(sys.platform == "win32", reason="folders are closed in another way there")
def test_a_folder_that_may_not_be_written_can_be_looked_at(tmp_path: Path, new_run: NewRun, row: MakeRow) -> None:
    path = filled(tmp_path / "closed" / "lab.db", new_run, row)
    path.chmod(0o444)
    path.parent.chmod(0o555)
    text = "import sys; from faultlab.records.reading import open_reading as look; look(sys.argv[1]).attempt('last', 1)"
    try:
        done = subprocess.run(
            without_rights([sys.executable, "-c", text, str(path)]),
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
    finally:
        path.parent.chmod(0o755)
    assert done.returncode == 0, done.stderr
