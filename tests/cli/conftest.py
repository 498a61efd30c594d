"""The command as a user starts it: a process of its own, in an empty folder."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Cli = Callable[..., subprocess.CompletedProcess[str]]

AGENTS = '''
from faultlab import Claim, ToolError


def lucky(task, env):
    """Sends once more whatever happened."""
    for _ in range(2):
        try:
            env.tools["refund_order"](order_id="A17", amount="40.00", reference=task.id)
        except ToolError:
            continue
        return Claim.done("Refunded 40.00 for A17.", [1])
    return Claim.not_done("no")


def broken(task, env):
    return task.inputs["nothing of this name"]


def chatty(task, env):
    print("thinking ...")
    return Claim.not_done("no")


def slow(task, env):
    env.tools["get_order"](order_id="A17")
    total = 0
    for number in range(2_000_000):
        total += number
    return Claim.not_done(str(total))
'''


def environment(**changes: str) -> dict[str, str]:
    """Without what the terminal of these tests may say of itself."""
    hidden = {"COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "TERM", "PYTHONIOENCODING"}
    return {**{name: value for name, value in os.environ.items() if name not in hidden}, **changes}


def started_in(folder: Path) -> Cli:
    """Runs `faultlab` with some arguments in a folder; `env` changes its environment."""
    (folder / "mine.py").write_text(AGENTS, encoding="utf-8")

    def run(*args: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "faultlab", *args],
            cwd=folder,
            env=environment(**(env or {})),
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    return run


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    """`faultlab` in an empty folder."""
    return started_in(tmp_path)
