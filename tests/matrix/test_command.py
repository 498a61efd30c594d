"""Agents that are programs: real processes over real sockets."""

import shutil
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from faultlab.app import run
from faultlab.core.errors import BadInput
from faultlab.core.history import History
from faultlab.core.records import Call, Crashed, Fired, Note, Receipt
from faultlab.matrix.attempt import Conditions, run_attempt
from faultlab.matrix.command import Command
from faultlab.matrix.loader import find
from faultlab.matrix.request import RunRequest
from faultlab.matrix.resolve import resolve_agent
from faultlab.matrix.scenario import Group
from faultlab.report.timeline import timeline_of
from faultlab.rules.judge import judge


def group(contract: str = "strict", scenario: str = "lost-receipt") -> Group:
    return next(item for item in find([scenario])[0].groups() if item.contract.name == contract)


def program(tmp_path: Path, code: str) -> Command:
    file = tmp_path / "agent.py"
    start = "import json, os, sys, time, urllib.request as http\nurl = os.environ['FAULTLAB_URL']\n"
    file.write_text(start + textwrap.dedent(code))
    return Command.of(f"{sys.executable} {file}")


def attempt(agent: Command, twin: str = "clean", wall_limit_s: float = 30.0, where: Group | None = None) -> History:
    conditions = Conditions(7, wall_limit_s=wall_limit_s, time_scale=0.1)
    return run_attempt(agent, where or group(), twin, 1, conditions)[0]


@pytest.mark.parametrize(
    "twin",
    [
        "clean",
        "never",
        "late_server",
        *(pytest.param(twin, marks=pytest.mark.slow) for twin in ("committed", "late_network")),
    ],
)
@pytest.mark.parametrize("name", ["sh refund.sh", "node refund.mjs"])
def test_the_shipped_programs_pass(project: Path, name: str, twin: str) -> None:
    runner, file = name.split()
    if shutil.which(runner) is None or shutil.which("curl") is None:
        pytest.skip(f"{runner} or curl is not installed")
    agent = resolve_agent(f"cmd:{runner} {project / 'docs' / 'programs' / file}")
    history = run_attempt(agent, group(), twin, 1, Conditions(7))[0]
    verdict = judge(history)
    assert (verdict.verdict, verdict.codes) == ("pass", ()), verdict
    assert history.claim is not None and history.claim.status == "done"


def test_what_a_program_is_told(tmp_path: Path) -> None:
    agent = program(
        tmp_path,
        """
        task = json.loads(os.environ["FAULTLAB_TASK"])
        assert json.load(http.urlopen(url + "/task")) == task
        names = {name for name in os.environ if name.startswith("FAULTLAB_")}
        print(json.dumps({"status": "not_done", "text": " ".join([*sorted(task), *sorted(names)])}))
        """,
    )
    claim = attempt(agent).claim
    assert claim is not None
    assert claim.text.split() == [
        *("budget", "id", "inputs", "instruction", "tools", "version"),
        *("FAULTLAB_DEADLINE_S", "FAULTLAB_RESUMED", "FAULTLAB_STORE"),
        *("FAULTLAB_TASK", "FAULTLAB_TIME_SCALE", "FAULTLAB_URL"),
    ]


def test_the_claim_is_the_last_line_of_json(tmp_path: Path) -> None:
    code = """
    print('{"status": "done"}')
    print('{"status": "refused", "text": "No."}')
    print("bye")
    """
    claim = attempt(program(tmp_path, code)).claim
    assert claim is not None and (claim.status, claim.text) == ("refused", "No.")


def test_a_posted_claim_counts_and_a_wrong_one_is_told(tmp_path: Path) -> None:
    code = """
    try:
        http.urlopen(url + "/claim", b'{"status": "finished"}')
    except http.HTTPError as error:
        print(error.code, error.read().decode(), file=sys.stderr)
    http.urlopen(url + "/claim", b'{"status": "not_done", "text": "posted"}')
    print('{"status": "done", "text": "printed"}')
    """
    history = attempt(program(tmp_path, code))
    assert history.claim is not None and history.claim.text == "posted"
    notes = [event.value for event in history.events if type(event) is Note]
    assert len(notes) == 1 and notes[0].startswith("422 ") and "'finished'" in notes[0]


def test_a_hand_over_without_records_gets_those_of_the_wire(tmp_path: Path) -> None:
    code = """
    body = json.dumps({"order_id": "A17", "amount": "40.00", "reference": "r-1"}).encode()
    ask = http.Request(url + "/v1/refunds", body, {"content-type": "application/json"})
    try:
        http.urlopen(ask, timeout=0.2)
    except OSError:
        print('{"status": "handed_over", "text": "Not known."}')
    """
    history = attempt(program(tmp_path, code), "committed", where=group("none"))
    assert history.claim is not None
    (record,) = history.claim.hand_over
    assert (record.operation, record.handle, record.last_receipt) == ("refund_order(A17)", "r-1", "ReadTimeout")


def test_a_program_that_fails_is_told_with_its_last_line(tmp_path: Path) -> None:
    history = attempt(program(tmp_path, "raise SystemExit('no such luck')"))
    assert (history.end, history.claim) == ("crashed", None)
    assert "exit code 1" in history.error and "no such luck" in history.error


def test_a_program_that_hangs_ends_with_its_children(tmp_path: Path) -> None:
    mark = tmp_path / "child"
    code = f"""
    import subprocess
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    open({str(mark)!r}, "w").write(str(child.pid))
    time.sleep(600)
    """
    history = attempt(program(tmp_path, code), wall_limit_s=2.0)
    assert history.end == "hung"
    child = Path("/proc") / mark.read_text() / "stat"
    assert not child.exists() or child.read_text().split()[2] == "Z"


def test_a_planned_crash_kills_the_process_and_starts_another(tmp_path: Path) -> None:
    scenario = tmp_path / "crash.yaml"
    scenario.write_text(
        """
id: crash
suite: boundary
task: Refund order A17.
inputs: {refund: [A17]}
toolset: shop
world: {orders: {A17: {status: paid, total: "40.00"}}}
contracts: [strict]
plan: [{tool: refund_order, fault: client_crash, with: {when: after_dispatch, journal: kept}}]
expect: {effects: [{tool: refund_order, identity: {order_id: A17}}]}
"""
    )
    code = """
    mark = os.path.join(os.environ["FAULTLAB_STORE"], "sent")
    assert bool(os.environ["FAULTLAB_RESUMED"]) == os.path.exists(mark)
    open(mark, "w").close()
    body = json.dumps({"order_id": "A17", "amount": "40.00", "reference": "r-1"}).encode()
    headers = {"content-type": "application/json", "idempotency-key": "k-1"}
    http.urlopen(http.Request(url + "/v1/refunds", body, headers)).read()
    print('{"status": "done"}')
    """
    where = find([str(scenario)])[0].groups()[0]
    twin = next(name for name in where.twins if name != "clean")
    history = attempt(program(tmp_path, code), twin, where=where)
    assert history.end == "claimed", history.error
    assert sum(type(event) is Crashed for event in history.events) == 1
    assert sum(type(event) is Call for event in history.events) == 2
    assert len(history.ledger) == 1


@pytest.mark.parametrize(
    ("command", "said"), [("cmd:", "names no program"), ("cmd:nosuch x", "'nosuch'"), ("cmd:'sh", "cannot be read")]
)
def test_commands_that_cannot_be_run(command: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        resolve_agent(command)


@pytest.mark.slow
def test_an_outage_refuses_a_program_and_its_time_begins_with_its_first_request(tmp_path: Path) -> None:
    agent = program(
        tmp_path,
        """
        time.sleep(1.5)  # 15 s of the attempt, before it has begun
        get = lambda: http.urlopen(url + '/v1/orders/A17').status
        seen = [get()]
        until = time.monotonic() + 20
        while time.monotonic() < until and seen[-2:] != ['refused', 200]:
            try:
                found = get()
            except OSError as error:
                found = 'refused' if isinstance(getattr(error, 'reason', error), ConnectionRefusedError) else 'other'
            if found != seen[-1]:
                seen.append(found)
            time.sleep(0.05)
        print(json.dumps({"status": "not_done", "text": ' '.join(map(str, seen))}))
        """,
    )
    history = attempt(agent, "never", where=group("strict", "outage-heals"))
    # Who had connected as the port closed sees a connection that ends, and the history knows of it.
    caught = any(type(event) is Receipt and event.error for event in history.events)
    assert history.claim is not None
    assert history.claim.text == ("200 other refused 200" if caught else "200 refused 200")
    (fired,) = [event for event in history.events if type(event) is Fired]
    assert (fired.call, fired.fault) == (0, "outage")
    assert fired.t < 3e9
    drawn = [line.server for line in timeline_of(history).lines if line.fault]
    assert drawn == ["FAULT outage (connect, refused): the port is closed"]


def test_scenarios_that_a_socket_cannot_show_are_left_out_by_name() -> None:
    class Silent:
        def planned(self, plan: object) -> None: ...
        def advanced(self, result: object) -> None: ...
        def estimated(self, remaining_s: float, cost: float) -> None: ...
        def told(self, line: str) -> None: ...

    request = RunRequest(
        agents=("cmd:true", "never_retry"),
        scenarios=("no-connection", "outage-stays", "lost-receipt"),
        contracts=("none",),
        attempts=1,
        store="memory",
    )
    report = run(request, Silent())
    tried = {(result.agent, result.scenario) for cell in report.cells for result in cell.ways}
    assert ("never_retry", "no-connection") in tried
    assert {scenario for agent, scenario in tried if agent == "cmd:true"} == {"outage-stays", "lost-receipt"}
    assert report.plan.left_out == {"a port cannot refuse one call and take another": ("no-connection",)}
    with pytest.raises(BadInput, match="nothing to run: .*a port cannot refuse one call and take another: no-conn"):
        run(replace(request, agents=("cmd:true",), scenarios=("no-connection",)), Silent())
