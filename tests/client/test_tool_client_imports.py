"""What `faultlab.ToolClient` loads: httpx, tenacity and sqlmodel with what they need, and nothing else."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from faultlab.client.client import ToolClient
from faultlab.core.errors import BadInput

LISTED = "import sys; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
USED = """
import faultlab
client = faultlab.ToolClient(sys.argv[1])
client.guard(contract="none", identity=["order_id"])(lambda order_id: None)
client.call("<lambda>", order_id="A17")
client.close()
"""


def loaded(code: str, folder: Path) -> set[str]:
    command = [sys.executable, "-c", f"import sys\n{code}\n{LISTED}", str(folder / "journal.db")]
    return set(subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder).stdout.split())


@pytest.mark.parametrize(
    ("missing", "given", "extra"),
    [
        ("psycopg", {"journal": "postgresql://tests@127.0.0.1/none"}, r"faultlab\[postgres\]"),
        ("opentelemetry", {"spans": True}, r"faultlab\[otel\]"),
    ],
)
def test_an_extra_that_is_missing_is_named(
    missing: str, given: dict[str, Any], extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(BadInput, match=extra):
        ToolClient(**{"journal": str(tmp_path / "j.db"), **given})
    assert not list(tmp_path.iterdir())  # nor was a journal opened that nobody closes


def test_it_loads_three_libraries_and_what_they_need(tmp_path: Path) -> None:
    three = loaded("import asyncio, httpx, sqlite3, tenacity, sqlmodel, sqlalchemy.dialects.sqlite", tmp_path)
    used = loaded(USED, tmp_path)
    assert (tmp_path / "journal.db").exists()
    assert {name for name in used - three if name not in sys.stdlib_module_names} == {"faultlab"}
    assert not used & {"yaml", "typer", "respx", "scipy", "httpx2", "opentelemetry", "psycopg"}
