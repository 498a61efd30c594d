"""Runs: the calibration lands, processes and seeds give the same bytes, nothing finished is lost."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from faultlab.app import RunReport, RunRequest, replay, run, run_selftest, stored
from faultlab.core.errors import BadInput
from faultlab.core.result import Result


class Told:
    """Listens to a run."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.results: list[Result] = []
        self.total = 0

    def planned(self, plan: Any) -> None:
        self.total = plan.total

    def advanced(self, result: Result) -> None:
        self.results.append(result)

    def estimated(self, remaining_s: float, cost: float) -> None:
        self.lines.append(f"rest {cost:g}")

    def told(self, line: str) -> None:
        self.lines.append(line)


def made(**request: Any) -> tuple[RunReport, Told]:
    told = Told()
    return run(RunRequest(**{"store": "memory", "attempts": 1, **request}), told), told


def traces(store: Path, run_number: int = 1) -> dict[tuple[Any, ...], str]:
    """Cell and attempt -> digest of its history."""
    query = (
        "SELECT agent, scenario, contract, twin, attempt_index, trace_ref FROM attempt_lab "
        "JOIN attempts USING (attempt_id) WHERE run = ?"
    )
    with closing(sqlite3.connect(store)) as connection:
        rows = list(connection.execute(query, (run_number,)))
    return {row[:5]: row[5] for row in rows}


def begun(store: Path) -> bool:
    """Whether an attempt is stored."""
    try:
        return bool(traces(store))
    except sqlite3.OperationalError:  # its tables are yet to be made
        return False


def faultlab(folder: Path, *arguments: str, **env: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "faultlab", *arguments]
    return subprocess.run(
        command, cwd=folder, env={**os.environ, **env}, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.slow
def test_the_calibration_lands() -> None:
    report, told = made()
    assert report.surprises == [] and report.validity.invalid == () and report.exit_code == 0
    assert report.validity.oracle_cells == report.validity.cells > 0
    assert report.validity.null_cells == 0
    assert {cell.agent for cell in report.cells if cell.verdict == "PASS"} > {"careful", "overwriter"}
    assert len(told.results) == told.total


@pytest.mark.slow
def test_the_selftest_holds() -> None:
    report = run_selftest(Told(), jobs=2)
    assert [item.name for item in report.mutants if not item.killed] == []
    assert [item.name for item in report.correct if item.findings] == []
    assert report.twins == () and report.unproved == () and report.ok
    assert len(report.mutants) >= 45 and len(report.correct) >= 9


FEW = ("lost-receipt", "server-crash", "two-workers", "page-changed", "throttled", "crash-journal-kept", "approval")
some_and_all = pytest.mark.parametrize(
    "scenarios", [FEW, pytest.param((), marks=pytest.mark.slow)], ids=["some scenarios", "all scenarios"]
)


@some_and_all
def test_same_seed_same_bytes_in_two_processes(tmp_path: Path, scenarios: tuple[str, ...]) -> None:
    chosen = [word for name in scenarios for word in ("-s", name)]
    for name, hash_seed in (("one", "1"), ("two", "2")):
        done = faultlab(
            tmp_path, "run", "careful", "query_once", *chosen, "--seed", "5", "--attempts", "1",
            "--store", f"{name}.db", PYTHONHASHSEED=hash_seed,
        )  # fmt: skip
        assert done.returncode == 1, done.stderr  # query_once is wrong in many cells
    one, two = traces(tmp_path / "one.db"), traces(tmp_path / "two.db")
    assert one == two and len(one) > (100 if scenarios else 1000)


@some_and_all
def test_two_workers_make_what_one_makes(tmp_path: Path, scenarios: tuple[str, ...]) -> None:
    stores = {1: tmp_path / "one.db", 2: tmp_path / "two.db"}
    cells = {}
    for jobs, store in stores.items():
        agents = ("careful", "blind_retry")
        report, _ = made(store=str(store), jobs=jobs, agents=agents, scenarios=scenarios, attempts=2, seed=3)
        cells[jobs] = [(cell[:5], cell.verdict, cell.mark, cell.made, cell.codes) for cell in report.cells]
    assert sorted(cells[1]) == sorted(cells[2])
    assert traces(stores[1]) == traces(stores[2])


def test_another_seed_gives_other_bytes_and_the_same_verdicts() -> None:
    (one, _), (two, _) = (made(agents=("careful",), scenarios=("lost-receipt",), seed=seed) for seed in (1, 2))
    assert [cell.verdict for cell in one.cells] == [cell.verdict for cell in two.cells]
    assert {way.elapsed_s for cell in one.cells for way in cell.ways} != {
        way.elapsed_s for cell in two.cells for way in cell.ways
    }


def test_clean_runs_come_first_and_then_the_rest_is_estimated() -> None:
    _, told = made(agents=("careful",), scenarios=FEW, attempts=3)
    clean = [number for number, result in enumerate(told.results) if result.twin == "clean"]
    assert clean == list(range(len(clean)))
    assert any(line.startswith("rest ") for line in told.lines)
    assert [result.number for result in told.results] == list(range(1, told.total + 1))


def test_last_failed_runs_what_failed(tmp_path: Path) -> None:
    store = str(tmp_path / "lab.db")
    first, _ = made(store=store, agents=("query_once",), scenarios=("lost-receipt",))
    failed = {cell[:5] for cell in first.cells if cell.verdict != "PASS"}
    again, _ = made(store=store, agents=("query_once",), scenarios=("lost-receipt",), last_failed=True)
    assert {cell[:5] for cell in again.cells} == failed != set()
    with pytest.raises(BadInput, match="holds no attempt of careful; run it first"):
        made(store=store, agents=("careful",), scenarios=("lost-receipt",), last_failed=True)


def test_exit_first_and_max_cost_stop_early() -> None:
    report, told = made(agents=("blind_retry",), scenarios=FEW, exit_first=True)
    assert told.results[-1].verdict == "fail" and all(item.verdict == "pass" for item in told.results[:-1])
    assert report.exit_code == 1
    report, told = made(agents=("careful",), scenarios=FEW, max_cost=30.0)
    assert 30 < report.tally.cost <= 30 + 14 and "--max-cost 30" in told.lines[-1]


@pytest.mark.parametrize("agents", [("blind_retry",), ()])
def test_what_an_early_stop_left_untried_does_not_pass(agents: tuple[str, ...]) -> None:
    report, told = made(agents=agents, scenarios=("lost-receipt",), attempts=5, max_cost=30.0)
    assert report.unmade == told.total - len(told.results) > 0
    assert report.exit_code == 3 and {item.verdict for item in report.groups} == {"INCONCLUSIVE"}
    assert sum(cell.made for cell in report.cells) == len(told.results)
    assert all(cell.made == 5 for cell in report.cells if cell.verdict == "PASS")


def test_a_cost_that_is_never_reached_stops_nothing() -> None:
    report, _ = made(agents=("careful",), scenarios=("lost-receipt",), max_cost=10_000.0)
    assert report.exit_code == 0 and not report.unmade


@pytest.mark.parametrize("cost", [-1.0, float("nan")])
def test_a_cost_that_is_none_is_refused(cost: float) -> None:
    with pytest.raises(BadInput, match="--max-cost is"):
        made(agents=("careful",), max_cost=cost)


@pytest.mark.parametrize(
    ("expression", "agents"),
    [("careful and not late", {"careful"}), ("blind or claim", {"blind_retry", "claimer"})],
)
def test_an_expression_selects_cells(expression: str, agents: set[str]) -> None:
    report, _ = made(agents=("careful", "blind_retry", "claimer"), scenarios=("lost-receipt",), expression=expression)
    assert {cell.agent for cell in report.cells} == agents
    assert not ("not late" in expression and any("late" in cell.twin for cell in report.cells))


def test_replay_judges_and_makes_again(tmp_path: Path) -> None:
    store = str(tmp_path / "lab.db")
    _, told = made(store=store, agents=("blind_retry",), scenarios=("lost-receipt",))
    failed = next(result for result in told.results if result.twin == "committed")
    again = replay(store, f"1:{failed.number}")
    assert again.same_bytes and again.same_verdict
    assert set(again.codes_then) == {"FL101", "FL201"}


ODD = """
from faultlab import Claim

def run(task, env):
    env.store["odd"] = object()
    return Claim.done("Refunded \\ud83d")
"""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_what_json_cannot_hold_ends_one_agents_attempts_and_no_others(tmp_path: Path, jobs: str) -> None:
    (tmp_path / "odd.py").write_text(ODD, encoding="utf-8")
    options = ["-s", "two-intended", "--attempts", "1", "--store", "x.db", "--jobs", jobs, "--json"]
    done = faultlab(tmp_path, "run", "odd:run", "careful", *options)
    assert done.returncode == 1, done.stderr
    cells = json.loads(done.stdout)["cells"]
    assert {cell["verdict"] for cell in cells if cell["agent"] == "careful"} == {"PASS"}
    assert all("FL902" in cell["findings"] for cell in cells if cell["agent"] != "careful")
    assert len(traces(tmp_path / "x.db")) == len(cells)


DYING = """
import os
from faultlab.agents.careful import careful

def run(task, env):
    if os.path.exists("die"):
        os.kill(os.getpid(), 9)
    return careful(task, env)
"""


def test_a_worker_that_dies_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "dying.py").write_text(DYING, encoding="utf-8")
    (tmp_path / "die").touch()
    done = faultlab(tmp_path, "run", "dying:run", "--jobs", "2", "-s", "two-intended", "--store", "x.db")
    assert done.returncode in (2, 3) and "Traceback" not in done.stderr
    assert "must not end its process" in done.stderr and "dying:run" in done.stderr


SLOW = """
import time
from faultlab.agents.careful import careful

def run(task, env):
    time.sleep(0.15)
    return careful(task, env)
"""


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_finished_and_resume_makes_the_rest(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW, encoding="utf-8")
    options = ["run", "slow:run", "-s", "lost-receipt", "--twin", "clean", "--clock", "real"]
    options += ["--attempts", "3", "--store", "x.db"]
    process = subprocess.Popen(
        [sys.executable, "-m", "faultlab", *options],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until = time.monotonic() + 60
    while time.monotonic() < until and not begun(tmp_path / "x.db"):
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, out + err
    assert "--resume" in out + err and "Traceback" not in err
    kept = traces(tmp_path / "x.db")
    assert 0 < len(kept) < 24
    resumed = faultlab(tmp_path, *options, "--resume", "--json")
    assert resumed.returncode == 0, resumed.stderr
    whole = traces(tmp_path / "x.db")
    assert len(whole) == 24 and kept.items() <= whole.items()
    assert sum(cell["attempts"] for cell in json.loads(resumed.stdout)["cells"]) == 24


ACCEPTING = """
id: accepting
suite: boundary
task: Refund order A17 in full.
inputs: {refund: [A17]}
toolset: shop
world:
  orders: {A17: {status: paid, total: "40.00", customer: C5}}
  accounts: {C5: {balance: "49.00"}}
contracts: [strict]
plan: [{tool: refund_order, twins: [never, committed]}]
ignore: [{code: FL203, reason: a person is asked, until: "9999-01-01"}]
budget: {calls: 12, seconds: 300, cost: 14}
expect: {effects: [{tool: refund_order, identity: {order_id: A17}, args: {amount: "40.00"}}]}
"""


def test_what_is_accepted_is_accepted_by_show_and_replay_too(tmp_path: Path) -> None:
    file, store = tmp_path / "accepting.yaml", str(tmp_path / "lab.db")
    file.write_text(ACCEPTING, encoding="utf-8")
    report, told = made(store=store, agents=("giver_up",), scenarios=(str(file),))
    assert {cell.verdict for cell in report.cells} == {"PASS"}
    for result in told.results:
        shown, again = stored(store, f"1:{result.number}"), replay(store, f"1:{result.number}")
        assert shown.verdict.verdict == again.verdict.verdict == "pass" and again.same_verdict
    assert any(item.code == "FL203" for result in told.results for item in result.findings)
