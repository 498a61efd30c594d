"""Several writers in one file, and one that is killed while it writes: real processes."""

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from faultlab.core.errors import StoreError
from faultlab.records.rows import AttemptRow, encode
from faultlab.records.store import Store

NewRun = Callable[..., int]
MakeRow = Callable[..., AttemptRow]

BATCH = 20

WRITER = """
import sys
from faultlab.records.rows import AttemptRow, attempt_id, decode
from faultlab.records.store import Store

path, template = sys.argv[1], AttemptRow._make(decode(sys.argv[2]))
first, batches, size = map(int, sys.argv[3:])
print("ready", flush=True)
sys.stdin.readline()
store = Store.open(path)
for batch in range(batches):
    start = first + batch * size
    numbers = range(start, start + size)
    store.append([template._replace(attempt_id=attempt_id(1, number), number=number) for number in numbers])
    print(start + size - 1, flush=True)
store.close()
"""


def start_writer(path: Path, template: AttemptRow, first: int, batches: int) -> "subprocess.Popen[str]":
    """A process that has loaded everything and waits for a line before it writes."""
    command = [
        sys.executable,
        "-c",
        WRITER,
        str(path),
        encode(template),
        str(first),
        str(batches),
        str(BATCH),
    ]
    writer = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "ready\n"
    return writer


def go(writer: "subprocess.Popen[str]") -> None:
    assert writer.stdin is not None
    writer.stdin.write("go\n")
    writer.stdin.flush()


def test_two_processes_write_one_file_at_once(tmp_path: Path, new_run: NewRun, row: MakeRow) -> None:
    path = tmp_path / "lab.db"
    store = Store.open(str(path))
    new_run(store)
    writers = [
        start_writer(path, row(1, 1), first=1, batches=40),
        start_writer(path, row(1, 1), first=10_001, batches=40),
    ]
    for writer in writers:
        go(writer)
    for writer in writers:
        writer.communicate(timeout=60)
        assert writer.returncode == 0
    numbers = [found.number for found in store.attempts(1)]
    assert numbers == [*range(1, 801), *range(10_001, 10_801)]
    store.close()


def test_a_killed_writer_loses_no_attempt_that_it_had_stored(tmp_path: Path, new_run: NewRun, row: MakeRow) -> None:
    path = tmp_path / "lab.db"
    store = Store.open(str(path))
    new_run(store)
    writer = start_writer(path, row(1, 1), first=1, batches=100_000)
    go(writer)
    assert writer.stdout is not None
    seen = [writer.stdout.readline() for _ in range(25)]
    writer.send_signal(signal.SIGKILL)
    rest, _ = writer.communicate(timeout=60)
    stored = int([line for line in (*seen, *rest.splitlines(keepends=True)) if line.endswith("\n")][-1])

    numbers = [found.number for found in store.attempts(1)]
    assert len(numbers) >= stored >= 25 * BATCH
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) % BATCH == 0, "half a batch"
    store.append([row(1, len(numbers) + 1)])
    store.close()
    raw = sqlite3.connect(path)
    assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert raw.execute("SELECT COUNT(*) FROM attempts").fetchone() == (len(numbers) + 1,)
    raw.close()


def test_a_new_file_may_be_opened_by_many_at_once(tmp_path: Path, new_run: NewRun, row: MakeRow) -> None:
    def open_and_write(number: int) -> int:
        store = Store.open(str(tmp_path / "deep" / "folder" / "lab.db"))
        run = new_run(store)
        store.append([row(run, number)])
        store.close()
        return run

    with ThreadPoolExecutor(8) as pool:
        runs = list(pool.map(open_and_write, range(1, 25)))
    assert sorted(runs) == list(range(1, 25))


def test_a_file_that_stays_locked_is_named_and_later_usable(
    tmp_path: Path, new_run: NewRun, row: MakeRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faultlab.records.sqlite.BUSY_S", 0.05)
    path = tmp_path / "lab.db"
    store = Store.open(str(path))
    run = new_run(store)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match=r"lab\.db has been locked by another process"):
        store.append([row(run, 1)])
    assert list(store.attempts(run)) == []
    other.execute("COMMIT")
    store.append([row(run, 1)])
    assert store.attempt(run, 1).number == 1
    other.close()
    store.close()
