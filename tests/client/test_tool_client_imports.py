"""What `faultlab.ToolClient` loads: httpx, tenacity and sqlmodel with what they need, and nothing else."""

import subprocess
import sys
from pathlib import Path

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


def test_it_loads_three_libraries_and_what_they_need(tmp_path: Path) -> None:
    three = loaded("import asyncio, httpx, sqlite3, tenacity, sqlmodel, sqlalchemy.dialects.sqlite", tmp_path)
    used = loaded(USED, tmp_path)
    assert (tmp_path / "journal.db").exists()
    assert {name for name in used - three if name not in sys.stdlib_module_names} == {"faultlab"}
    assert not used & {"yaml", "typer", "respx", "scipy", "httpx2", "opentelemetry", "psycopg"}
