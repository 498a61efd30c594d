"""The examples of docs/pytest.md and the first of README.md are run; what they are said to print is printed."""

import re
from pathlib import Path

import pytest
from plugin.inner import INI

pytest_plugins = ("pytester",)

FILE = re.compile(r"^```python (\w+\.py)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"^```text (test_\w+\.py)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FAILING = {"test_refund.py": 3, "test_luck.py": 1}
"""Tests of the page that are meant to fail, and how many twins of each do."""


@pytest.fixture(scope="module")
def page(project: Path) -> str:
    return (project / "docs" / "pytest.md").read_text(encoding="utf-8")


def write(pytester: pytest.Pytester, files: dict[str, str]) -> None:
    pytester.makepyprojecttoml(INI)
    for name, source in files.items():
        (pytester.path / name).write_text(source, encoding="utf-8")


def squeezed(line: str) -> str:
    return " ".join(line.split())


def test_the_examples_do_what_the_page_says(pytester: pytest.Pytester, page: str) -> None:
    files = dict(FILE.findall(page))
    write(pytester, files)
    for name in (name for name in files if name.startswith("test_")):
        result = pytester.runpytest_inprocess(name)
        counts = result.parseoutcomes()
        assert counts.get("failed", 0) == FAILING.get(name, 0), result.stdout.str()
        assert "errors" not in counts
        printed = {squeezed(line) for line in result.outlines}
        told = [line for test, text in PRINTED.findall(page) if test == name for line in text.splitlines()]
        assert [line for line in told if squeezed(line) not in printed] == []
        assert told or name not in FAILING


def test_every_option_of_the_marks_stands_in_the_page(page: str, pytester: pytest.Pytester) -> None:
    from faultlab.api.expand import SCENARIO_OPTIONS
    from faultlab.api.marks import FAULTS_OPTIONS

    for name in FAULTS_OPTIONS:
        assert f"| `{name}` |" in page
    assert all(f"`{name}`" in page for name in SCENARIO_OPTIONS)
    write(pytester, {})
    helped = pytester.runpytest_inprocess("--help").stdout.str()
    options = set(re.findall(r"--faultlab-[\w-]+", helped))
    assert options
    assert all(f"`{name}" in page for name in options)


def test_the_readme_begins_with_a_test_of_eight_lines(pytester: pytest.Pytester, page: str, project: Path) -> None:
    readme = (project / "README.md").read_text(encoding="utf-8")
    first = re.search(r"^```.*?^```", readme, re.MULTILINE | re.DOTALL)
    assert first is not None
    ((name, source),) = FILE.findall(first.group())
    assert len([line for line in source.splitlines() if line.strip()]) == 8
    write(pytester, {"refunds.py": dict(FILE.findall(page))["refunds.py"], name: source})
    result = pytester.runpytest_inprocess()
    assert result.parseoutcomes() == {"failed": 3}
    printed = {squeezed(line) for line in result.outlines}
    ((_, told),) = PRINTED.findall(readme)
    assert [line for line in told.splitlines() if squeezed(line) not in printed] == []
