"""What the plugin costs those who do not use it: it loads itself and nothing else."""

import os
import subprocess
import sys
from pathlib import Path

PRINT = """
import sys

def pytest_unconfigure():
    print("LOADED", *sorted(name for name in sys.modules if name.partition(".")[0] in HEAVY))
"""
HEAVY = ("faultlab", "httpx", "sqlmodel", "yaml", "hypothesis")


def loaded_after(folder: Path, *arguments: str) -> list[str]:
    """The modules of interest that a run of pytest leaves behind, with the plugin and no other."""
    (folder / "conftest.py").write_text(f"HEAVY = {HEAVY!r}\n{PRINT}", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "faultlab.pytest_plugin", *arguments]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("LOADED")]
    return line.split()[1:]


def test_neither_help_nor_other_peoples_tests_load_anything(tmp_path: Path) -> None:
    (tmp_path / "test_other.py").write_text("def test_other(): assert True\n", encoding="utf-8")
    for arguments in (["--help"], []):
        assert loaded_after(tmp_path, *arguments) == ["faultlab", "faultlab.pytest_plugin"]


def test_a_test_that_asks_for_a_lab_loads_no_hypothesis_and_no_store(tmp_path: Path) -> None:
    (tmp_path / "test_lab.py").write_text("def test_lab(faultlab): assert faultlab.seed == 1\n", encoding="utf-8")
    loaded = loaded_after(tmp_path)
    assert "faultlab.api.lab" in loaded
    assert not {"hypothesis", "sqlmodel"} & set(loaded)
