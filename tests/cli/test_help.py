"""Help is quick, complete and helpful."""

import subprocess
import sys

import pytest
from cli.conftest import Cli, environment

from faultlab.cli.commands import COMMANDS

HEAVY = ("sqlmodel", "sqlalchemy", "scipy", "httpx", "rich", "yaml", "tenacity", "faultlab.app", "faultlab.engine")


def test_help_loads_nothing_heavy() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "faultlab", "--help"],
        env=environment(), capture_output=True, encoding="utf-8", timeout=60, check=True,
    )  # fmt: skip
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "typer" in loaded
    assert not [name for name in loaded if any(name == heavy or name.startswith(f"{heavy}.") for heavy in HEAVY)]


def test_help_names_every_command_and_exit_code(cli: Cli) -> None:
    done = cli("--help")
    assert done.returncode == 0
    for command in COMMANDS:
        assert f"  {command.__name__} " in done.stdout
    for code in ("0 all pass", "1 findings", "2 usage", "3 inconclusive", "4"):
        assert code in " ".join(done.stdout.split())


@pytest.mark.parametrize("command", [item.__name__ for item in COMMANDS])
def test_every_command_prints_json_on_demand(cli: Cli, command: str) -> None:
    done = cli(command, "--help")
    assert done.returncode == 0
    assert "--json" in done.stdout


def test_version(cli: Cli) -> None:
    done = cli("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("faultlab 0.")


@pytest.mark.parametrize(("typed", "meant"), [(["runn"], "run"), (["run", "--attemps", "3"], "--attempts")])
def test_a_slip_is_answered_with_what_was_meant(cli: Cli, typed: list[str], meant: str) -> None:
    done = cli(*typed)
    assert done.returncode == 2
    assert meant in done.stderr
    assert "Traceback" not in done.stderr
