"""What `faultlab new` writes runs at once."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from cli.conftest import Cli, environment

KINDS = [("agent", "first.py"), ("toolset", "mails.py"), ("scenario", "refund.yaml")]
LINES = 15


@pytest.mark.parametrize(("kind", "name"), KINDS)
def test_a_file_is_short_and_never_overwritten(cli: Cli, tmp_path: Path, kind: str, name: str) -> None:
    assert cli("new", kind, name).returncode == 0
    text = (tmp_path / name).read_text(encoding="utf-8")
    assert len(text.splitlines()) == LINES
    (tmp_path / name).write_text("mine", encoding="utf-8")
    again = cli("new", kind, name)
    assert again.returncode == 2
    assert name in again.stderr
    assert (tmp_path / name).read_text(encoding="utf-8") == "mine"


def test_an_agent_runs_by_the_command_that_is_told(cli: Cli) -> None:
    told = cli("new", "agent", "first.py").stdout.strip().partition("Run it: faultlab ")[2]
    done = cli(*told.split(), "--attempts", "1", "--json")
    cells = json.loads(done.stdout)["cells"]
    assert cells and not [cell for cell in cells if "FL902" in cell["findings"]]
    assert all(cell["verdict"] == "PASS" for cell in cells if cell["twin"] == "clean")


def test_a_scenario_runs_by_the_command_that_is_told(cli: Cli) -> None:
    told = cli("new", "scenario", "refund.yaml").stdout.strip().partition("Run it: faultlab ")[2]
    done = cli(*told.split(), "--attempts", "1", "--json")
    assert done.returncode == 0, done.stderr
    assert {cell["scenario"] for cell in json.loads(done.stdout)["cells"]} == {"refund"}


def test_a_toolset_serves_a_scenario_that_names_it(cli: Cli, tmp_path: Path) -> None:
    named = cli("new", "toolset", "mails.py").stdout.partition("`")[2].partition("`")[0]
    (tmp_path / "mail.yaml").write_text(
        f"""\
id: mail
suite: boundary
task: Tell C5 that the order was sent.
{named}
world: {{}}
contracts: [none]
plan:
  - {{tool: send, occurrence: 1, twins: [never, committed, late_network, late_server]}}
budget: {{calls: 8, seconds: 300, cost: 20}}
expect:
  effects: [{{tool: send, identity: {{to: C5}}, exactly: 1}}]
""",
        encoding="utf-8",
    )
    (tmp_path / "mailer.py").write_text(
        """\
from faultlab import Claim, ToolError
def run(task, env):
    try:
        env.tools["send"](to="C5", text="It was sent.", reference=task.id)
        return Claim.done("Told.", [1])
    except ToolError:
        mails = [env.tools["list_mails"](to="C5")["mails"]]
        env.sleep(6)
        mails.append(env.tools["list_mails"](to="C5")["mails"])
        return Claim.done("Told.", [3]) if mails[-1] else env.hand_over("I cannot tell.")
""",
        encoding="utf-8",
    )
    done = cli("run", "mailer:run", "-s", "mail.yaml", "--attempts", "1", "--json")
    verdicts = {cell["twin"]: cell["verdict"] for cell in json.loads(done.stdout)["cells"]}
    assert verdicts["clean"] == "PASS", done.stdout


@pytest.mark.parametrize(
    ("kind", "name"), [("agent", "first.txt"), ("scenario", "x.py"), ("agent", "no/such/folder.py")]
)
def test_a_name_that_cannot_be_is_refused(cli: Cli, kind: str, name: str) -> None:
    done = cli("new", kind, name)
    assert done.returncode == 2
    assert name in done.stderr


FULL = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
from faultlab.cli.main import main
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process are a thing of POSIX")
@pytest.mark.parametrize(("kind", "name"), KINDS)
def test_a_file_that_cannot_be_written_whole_is_not_there(tmp_path: Path, kind: str, name: str) -> None:
    """As on a full disk: no part of it stays behind, under its name or another."""
    done = subprocess.run(
        [sys.executable, "-c", FULL, "new", kind, name],
        cwd=tmp_path, env=environment(PYTHONDONTWRITEBYTECODE="1"), capture_output=True, encoding="utf-8", timeout=60,
        check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith(f"faultlab: {name} cannot be written: ") and "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_link_that_leads_nowhere_is_not_followed(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "first.py").symlink_to(tmp_path / "elsewhere.py")
    assert cli("new", "agent", "first.py").returncode == 2
    assert not (tmp_path / "elsewhere.py").exists()
