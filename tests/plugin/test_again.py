"""The commands that a failure prints: a shell takes them where pytest was started, and they run what they name."""

import subprocess

import pytest
from plugin.inner import project

pytest_plugins = ("pytester",)

FAILING = """
@pytest.mark.parametrize("price", ["5 `id`", 'say "$HOME"', "it's\\\\"])
@pytest.mark.faults("lost_request", on="POST /a")
def test_price(faultlab, price):
    raise ZeroDivisionError
"""


def words(line: str) -> list[str]:
    """What a real shell makes of a command: its arguments."""
    done = subprocess.run(["sh", "-c", f"printf '%s\\n' {line}"], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.parametrize("folder", ["", "unit tests/deep", "other"])
def test_the_commands_run_what_failed_from_any_folder(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    project(pytester)
    tests = pytester.path / "unit tests" / "deep"
    tests.mkdir(parents=True)
    (pytester.path / "other").mkdir()
    (tests / "test_it.py").write_text(f"import pytest\n{FAILING}", encoding="utf-8")
    monkeypatch.chdir(pytester.path / folder)
    first = pytester.runpytest_inprocess(tests, "--rootdir", pytester.path)
    again = [line.partition(": ")[2] for line in first.outlines if line.startswith("Again: ")]
    together = [line.partition(": ")[2] for line in first.outlines if line.startswith("  all of them again: ")]
    assert (len(again), len(together)) == (3, 3)
    for command, failed in [*((item, 1) for item in again), *((item, 3) for item in together)]:
        program, *arguments = words(command)
        assert program == "pytest"
        result = pytester.runpytest_inprocess(*arguments, "--rootdir", pytester.path)
        assert result.parseoutcomes() == {"failed": failed}, command
