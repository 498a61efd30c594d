"""`faultlab run` as a user and a program see it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli.conftest import Cli, environment

from faultlab.core.errors import BadInput
from faultlab.records.store import Store

ONE_GROUP = ("-s", "lost-receipt", "--contract", "none", "--attempts", "2")


def test_an_agent_that_is_right_exits_0_and_one_that_is_not_exits_1(cli: Cli) -> None:
    good, bad = cli("run", "careful", *ONE_GROUP), cli("run", "mine:lucky", *ONE_GROUP)
    assert (good.returncode, bad.returncode) == (0, 1), good.stderr + bad.stderr
    assert "FINDINGS" not in good.stdout
    assert "FL101" in bad.stdout and "Reproduce the worst cell" in bad.stdout


def test_the_command_to_reproduce_makes_that_cell_again(cli: Cli) -> None:
    lines = cli("run", "mine:lucky", *ONE_GROUP, env={"COLUMNS": "300"}).stdout.splitlines()
    (line,) = [item for item in lines if item.startswith("Reproduce the worst cell: faultlab ")]
    again = cli(*line.partition("faultlab ")[2].split(), "--json")
    assert again.returncode == 1
    assert [cell["findings"] for cell in json.loads(again.stdout)["cells"]]


def test_json_is_all_that_stands_on_standard_output(cli: Cli) -> None:
    done = cli("run", "careful", "mine:lucky", *ONE_GROUP, "--json")
    data = json.loads(done.stdout)
    assert set(data) == {"run", "seed", "cells", "groups"}
    assert {(cell["agent"], cell["attempts"]) for cell in data["cells"]} == {("careful", 2), ("mine:lucky", 2)}
    assert {(item["agent"], item["verdict"]) for item in data["groups"]} == {
        ("careful", "PASS"),
        ("mine:lucky", "FAIL"),
    }


def test_late_stands_for_both_kinds_of_late(cli: Cli) -> None:
    done = cli("run", "careful", *ONE_GROUP, "--twin", "late", "--json")
    assert {cell["twin"] for cell in json.loads(done.stdout)["cells"]} == {"late_network", "late_server"}


def test_an_agent_that_prints_does_not_break_the_json(cli: Cli) -> None:
    done = cli("run", "mine:chatty", *ONE_GROUP, "--json")
    assert json.loads(done.stdout)["cells"]
    assert "thinking ..." in done.stderr


@pytest.mark.parametrize("columns", ["60", "80", "120"])
def test_a_pipe_gets_plain_lines_of_the_width_it_asks_for(cli: Cli, columns: str) -> None:
    out = cli("run", "careful", "blind_retry", "mine:lucky", *ONE_GROUP, env={"COLUMNS": columns}).stdout
    assert "\x1b" not in out and "\r" not in out
    assert all(len(line) <= int(columns) for line in out.splitlines() if not line.lstrip().startswith("faultlab "))
    assert "attempts ·" in out


def test_an_ascii_pipe_does_not_break_on_the_glyphs(cli: Cli) -> None:
    done = cli("run", "mine:lucky", *ONE_GROUP, env={"PYTHONIOENCODING": "ascii"})
    assert done.returncode == 1
    assert done.stdout.isascii()


@pytest.mark.parametrize(
    ("args", "named"),
    [
        (["no_such_module:run"], "no_such_module"),
        (["mine:no_such_function"], "no_such_function"),
        (["mine.py:no_such_function"], "no_such_function"),
        (["careful", "-s", "no-such-scenario"], "no-such-scenario"),
        (["careful", "-s", "missing.yaml"], "missing.yaml"),
        (["careful", "--contract", "no-such-contract"], "no-such-contract"),
        (["careful", "--twin", "no-such-twin"], "no-such-twin"),
        (["careful", "--suite", "no-such-suite"], "no-such-suite"),
        (["careful", "--clock", "sundial"], "sundial"),
        (["careful", "-k", "careful and"], "careful and"),
        (["careful", "--attempts", "0"], "--attempts"),
        (["careful", "--attempts", "100000000"], "at most 2,000,000 go into one run"),
        (["careful", "--jobs", "10000"], "--jobs is 10000"),
        (["careful", "--allow-host", "http://localhost"], "http://localhost"),
        (["careful", "--allow-host", ""], "--allow-host"),
        (["careful", "--seed", str(2**70)], str(2**70)),
        (["careful", "--resume"], "run"),
        (["careful", "--store", "/"], "/"),
    ],
)
def test_bad_input_is_one_message_that_names_it_and_exit_2(cli: Cli, args: list[str], named: str) -> None:
    done = cli("run", *args)
    assert done.returncode == 2, done.stderr
    assert named in done.stderr
    assert done.stderr.startswith("faultlab: ") and len(done.stderr.splitlines()) == 1
    assert not done.stdout


@pytest.mark.parametrize("place", ["leaving:run", "leaving.py:run"])
def test_a_module_that_exits_when_imported_is_bad_input(cli: Cli, tmp_path: Path, place: str) -> None:
    (tmp_path / "leaving.py").write_text("import sys\n\nsys.exit()\n", encoding="utf-8")
    done = cli("run", place)
    assert done.returncode == 2 and not done.stdout
    assert "does not import: SystemExit" in done.stderr and "leaving.py:3" in done.stderr


def test_an_agent_that_raises_is_a_finding_and_its_line_is_told(cli: Cli) -> None:
    done = cli("run", "mine:broken", *ONE_GROUP)
    assert done.returncode == 1
    told = " ".join(done.stdout.split())
    assert "FL902" in told
    assert "KeyError: 'nothing of this name' at" in told and "mine.py:" in told


def stored(folder: Path) -> int:
    """Attempts of the last run that are in the store."""
    file = folder / ".faultlab" / "lab.db"
    if not file.exists():
        return 0
    store = Store.open(str(file))
    try:
        return sum(1 for _ in store.attempts("last"))
    except BadInput:
        return 0
    finally:
        store.close()


def test_ctrl_c_keeps_what_is_finished_and_says_how_to_go_on(cli: Cli, tmp_path: Path) -> None:
    words = ["run", "mine:slow", "-s", "lost-receipt", "--contract", "none", "--attempts", "8"]
    process = subprocess.Popen(
        [sys.executable, "-m", "faultlab", *words],
        cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not stored(tmp_path):
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130, told
    assert "are kept in" in told
    command = told.splitlines()[-1].split()
    assert command == ["faultlab", *words, "--resume"]
    done = cli(*command[1:], "--json")
    assert sum(cell["attempts"] for cell in json.loads(done.stdout)["cells"]) == 5 * 8


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_attempts_that_are_not_kept_are_counted_and_not_offered(cli: Cli, jobs: str) -> None:
    done = cli("run", "mine:lucky", *ONE_GROUP, "--store", "memory", "--jobs", jobs)
    assert done.returncode == 1, done.stderr
    assert "FL101" in done.stdout
    assert "faultlab show" not in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal is a thing of POSIX")
def test_a_terminal_sees_a_bar_that_one_line_replaces(cli: Cli, tmp_path: Path) -> None:
    import pty

    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "faultlab", "run", "mine:slow", *ONE_GROUP],
        cwd=tmp_path, env=environment(TERM="xterm", COLUMNS="80"), stdout=follower, stderr=follower,
    )  # fmt: skip
    os.close(follower)
    seen = b""
    try:
        while part := os.read(leader, 65536):
            seen += part
    except OSError:
        pass  # Linux says so when the last writer has closed its end.
    finally:
        os.close(leader)
        process.wait(timeout=60)
    told = seen.decode()
    assert "left" in told and "\r" in told
    assert "10/10 attempts ·" in told.replace("\x1b[2K", "")


def test_a_reader_that_has_seen_enough_is_no_fault(cli: Cli, tmp_path: Path) -> None:
    cli("run", "mine:lucky", *ONE_GROUP)
    process = subprocess.Popen(
        [sys.executable, "-m", "faultlab", "explain", "--json"],
        cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
    )  # fmt: skip
    assert process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    told = process.stderr.read()
    process.stderr.close()
    process.wait(timeout=60)
    assert "Traceback" not in told and "harness fault" not in told


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the full disk is a thing of Linux")
@pytest.mark.parametrize("words", [["agents"], ["explain"], ["explain", "--json"], ["run", "careful", *ONE_GROUP]])
def test_an_output_that_is_full_is_one_message(tmp_path: Path, words: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "faultlab", *words], cwd=tmp_path, env=environment(),
            stdout=full, stderr=subprocess.PIPE, encoding="utf-8", timeout=60, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "faultlab: standard output takes no more: No space left on device. Write it elsewhere"
    ]


def test_last_failed_says_what_it_runs_again(cli: Cli) -> None:
    """The agents, groups and cells that it runs, not those that it was asked to look among."""
    words = ("run", "careful", "mine:lucky", "-s", "lost-receipt", "--contract", "none", "--attempts", "1")
    first = json.loads(cli(*words, "--json").stdout)
    failed = sum(cell["verdict"] != "PASS" for cell in first["cells"])
    again = " ".join(cli(*words, "--last-failed", env={"COLUMNS": "200"}).stdout.split())
    assert (
        f"mine:lucky x 1 group of 1 scenario · 1 attempt a cell · virtual clock · only the {failed} cells that" in again
    )
    assert f"{failed}/{failed} attempts" in again and "careful" not in again.partition("Reproduce")[0]
    assert f"Not asked for: {5 - failed} cell" in again


def test_last_failed_where_nothing_failed_says_so(cli: Cli) -> None:
    cli("run", "careful", *ONE_GROUP)
    done = cli("run", "careful", *ONE_GROUP, "--last-failed")
    assert done.returncode == 2 and "no cell of careful failed when it was last run" in done.stderr
    never = cli("run", "mine:lucky", *ONE_GROUP, "--last-failed")
    assert never.returncode == 2 and "holds no attempt of mine:lucky; run it first" in never.stderr
