"""Worker processes: how many there may be, and who hears Ctrl-C."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from faultlab.app import RunRequest
from faultlab.core.errors import BadInput
from faultlab.matrix.loader import find
from faultlab.matrix.proving import prove
from faultlab.matrix.request import wanted_of
from faultlab.matrix.run import in_processes, jobs_of
from faultlab.matrix.workers import FEWEST, check_workers


@pytest.mark.parametrize("jobs", [10_000, 0, -1])
def test_a_number_of_workers_that_cannot_be_meant_is_refused(jobs: int) -> None:
    (scenario,) = find(["lost-receipt"])
    with pytest.raises(BadInput, match=rf"--jobs is {jobs}; it must be from 1 to \d+"):
        wanted_of(RunRequest(jobs=jobs), 1, ("careful",), scenario.groups())
    with pytest.raises(BadInput, match="--jobs is"):
        prove(lambda: pytest.fail("nothing is made here"), jobs, (), started=print, advanced=print)


def test_every_machine_may_have_some() -> None:
    check_workers(FEWEST)


def test_no_more_workers_start_than_there_is_work_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    class Stop(Exception):
        pass

    def pool(workers: int, *_: object) -> None:
        asked.append(workers)
        raise Stop

    monkeypatch.setattr("faultlab.matrix.run.ProcessPoolExecutor", pool)
    (scenario,) = find(["lost-receipt"])
    work = jobs_of(("careful",), scenario.groups()[:1], 1, 7)
    with pytest.raises(Stop):
        next(in_processes(lambda: pytest.fail("nothing is made here"), work, 60))
    assert asked == [len(work)] == [5]


AGENT = """
import multiprocessing, pathlib
if multiprocessing.parent_process() is not None:
    pathlib.Path("imported").touch()
    import time
    time.sleep(0.2)

def run(task, env):
    return None
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals to a group of processes are a thing of POSIX")
@pytest.mark.parametrize("when", ["the workers start", "a worker loads its agent"])
def test_ctrl_c_while_the_workers_start_is_one_message(tmp_path: Path, when: str) -> None:
    """The whole group of processes is told, as by a terminal."""
    (tmp_path / "mine.py").write_text(AGENT, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "faultlab", "run", "mine:run", "-s", "lost-receipt", "--jobs", "2", "--attempts", "20"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", start_new_session=True,
    )  # fmt: skip
    store, loaded = tmp_path / ".faultlab" / "lab.db", tmp_path / "imported"
    deadline = time.monotonic() + 60
    awaited = store if when == "the workers start" else loaded
    while time.monotonic() < deadline and not awaited.exists():
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130, told
    assert told.startswith("faultlab: interrupted") and "Traceback" not in told and "Error" not in told


ENDLESS = """
import pathlib

def run(task, env):
    pathlib.Path("begun").touch()
    while True:
        pass
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals to a group of processes are a thing of POSIX")
def test_a_second_ctrl_c_does_not_wait_for_what_was_begun(tmp_path: Path) -> None:
    """An agent that hangs is ended after 30 s, and a worker may have a dozen of such attempts."""
    (tmp_path / "mine.py").write_text(ENDLESS, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "faultlab", "run", "mine:run", "-s", "lost-receipt", "--jobs", "2"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", start_new_session=True,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (tmp_path / "begun").exists():
            time.sleep(0.01)
        for _ in range(2):
            time.sleep(0.5)
            os.killpg(process.pid, signal.SIGINT)
        _, told = process.communicate(timeout=20)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 130, told
    assert told.startswith("faultlab: interrupted") and "Traceback" not in told


SLOW = """
import pathlib

def run(task, env):
    pathlib.Path("begun").touch()
    for _ in range(300_000):
        pass
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a process is killed as POSIX does it")
def test_no_worker_outlives_a_parent_that_is_killed(tmp_path: Path) -> None:
    """The pipe to which they may all print ends with the last of them."""
    (tmp_path / "mine.py").write_text(SLOW, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "faultlab", "run", "mine:run", "-s", "lost-receipt", "--jobs", "2", "--attempts", "50"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and not (tmp_path / "begun").exists():
            time.sleep(0.01)
        process.kill()
        process.communicate(timeout=20)
        assert (tmp_path / "begun").exists()
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
