"""The public door: its names, and what it costs to open it."""

import ast
import os
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

import faultlab

HELP = """
import sys
from faultlab.cli.main import main
sys.argv = ["faultlab", "--help"]
try:
    main()
except SystemExit as end:
    assert end.code in (None, 0), end.code
"""


def loaded_after(code: str, folder: Path) -> tuple[set[str], str]:
    """(top-level names of the modules that `code` loads in a new process, what it printed before)."""
    told = code + "\nimport sys\nprint('LOADED', *{name.partition('.')[0] for name in sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", told],
        cwd=folder,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    printed, _, names = done.stdout.rpartition("LOADED ")
    return set(names.split()), printed


def test_all_is_sorted_and_listed() -> None:
    assert sorted(faultlab.__all__) == faultlab.__all__
    assert set(faultlab.__all__) <= set(dir(faultlab))


@pytest.mark.parametrize("name", faultlab.__all__)
def test_each_name_resolves_to_what_carries_it(name: str) -> None:
    value = getattr(faultlab, name)
    assert value.__name__.rpartition(".")[2] == name
    assert getattr(value, "__module__", value.__name__).startswith("faultlab.")


def test_type_checkers_see_what_runs() -> None:
    """The imports for type checkers name the modules that the names are really loaded from."""
    tree = ast.parse(Path(faultlab.__file__).read_text(encoding="utf-8"))
    seen = {
        alias.name: getattr(import_module(node.module), alias.name, None)
        or import_module(f"{node.module}.{alias.name}")
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("faultlab.")
        for alias in node.names
    }
    assert seen == {name: getattr(faultlab, name) for name in faultlab.__all__}


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'Clam'; it has Claim, "):
        faultlab.Clam  # noqa: B018


def test_the_version_is_that_of_the_distribution() -> None:
    assert faultlab.__version__ == version("faultlab")


def test_the_root_loads_nothing_heavy(tmp_path: Path) -> None:
    loaded, _ = loaded_after("import faultlab", tmp_path)
    assert "faultlab" in loaded
    assert not loaded & {"httpx", "sqlmodel", "rich", "yaml", "tenacity"}


def test_help_loads_nothing_heavy(tmp_path: Path) -> None:
    loaded, printed = loaded_after(HELP, tmp_path)
    assert "Usage" in printed
    assert not loaded & {"sqlmodel", "scipy", "httpx"}


def test_the_module_is_the_command(tmp_path: Path) -> None:
    """`python -m faultlab` and the installed `faultlab` answer alike, also to a mistake."""
    answers = [
        subprocess.run([*command, "no-such-command"], cwd=tmp_path, capture_output=True, timeout=60, check=False)
        for command in ([sys.executable, "-m", "faultlab"], [str(Path(sys.executable).with_name("faultlab"))])
    ]
    assert [answer.returncode for answer in answers] == [2, 2]
