"""docs/serve.md, run as it stands: curl, Python and Node against a real server."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from served import Serve

BLOCK = re.compile(r"^```(\w+) (curl|client)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def block(project: Path, language: str) -> str:
    text = (project / "docs" / "serve.md").read_text(encoding="utf-8")
    return next(code for found, _, code in BLOCK.findall(text) if found == language)


def run(serve: Serve, *command: str) -> str:
    served = serve("lost-receipt", "--contract", "strict", "--twin", "committed")
    started = served.started
    environment = {
        **os.environ, "URL": started["url"], "ADMIN": started["admin_url"], "SESSION": started["session"],
    }  # fmt: skip
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True)
    ledger = served.admin.get(f"/sessions/{started['session']}/ledger").json()
    assert len(ledger["effects"]) == 1
    return ended.stdout


def test_curl(serve: Serve, project: Path) -> None:
    said = run(serve, "sh", "-c", block(project, "sh"))
    assert "no receipt" in said and "idempotent-replayed: true" in said and '"verdict":"pass"' in said


def test_python(serve: Serve, project: Path) -> None:
    assert run(serve, sys.executable, "-c", block(project, "python")) == "pass\n"


def test_node(serve: Serve, project: Path) -> None:
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    assert run(serve, "node", "--input-type=module", "-e", block(project, "js")) == "pass\n"
