"""Pytest inside pytest: a project with a test file, and what became of its tests."""

from pathlib import Path

import pytest

import faultlab.api.bound

INI = '[tool.pytest.ini_options]\nasyncio_default_fixture_loop_scope = "function"\n'
HEAD = "import pytest\nfrom wrappers import *\n"
WRAPPERS = (Path(__file__).parent / "wrappers.py").read_text(encoding="utf-8")

assert faultlab.api.bound is not None  # loaded before pytest runs inside pytest, or each run would load it again


def project(pytester: pytest.Pytester, **sources: str) -> None:
    """Test files by name, with pytest and the wrappers imported at their top."""
    pytester.makepyprojecttoml(INI)
    pytester.makepyfile(wrappers=WRAPPERS)
    for name, source in sources.items():
        pytester.makepyfile(**{name: HEAD + source})


def outcomes(pytester: pytest.Pytester, *arguments: str) -> dict[str, tuple[str, str]]:
    """Run the tests; their ids without the file -> passed, failed or error, and the text of the failure."""
    recorder = pytester.inline_run(*arguments)
    found: dict[str, tuple[str, str]] = {}
    for report in recorder.getreports("pytest_runtest_logreport"):
        name = report.nodeid.partition("::")[2]
        if report.when == "call" or report.failed:
            outcome = "error" if report.failed and report.when != "call" else report.outcome
            found[name] = outcome, report.longreprtext + "".join(text for _, text in report.sections)
    return found
