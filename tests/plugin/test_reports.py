"""Ten public bug reports: each wrapper is found by a test of at most ten lines, each right version passes it."""

import re

import pytest
from plugin.inner import outcomes, project
from plugin.reports import REPORTS, Report

pytest_plugins = ("pytester",)

NAMES = [report.broken for report in REPORTS]


def body(report: Report) -> list[str]:
    return [line for line in report.test.splitlines() if line.strip()]


def test_there_are_ten_each_in_at_most_ten_lines_with_its_link() -> None:
    assert len({report.url for report in REPORTS}) == len(REPORTS) == 10
    assert all(report.url.startswith("https://github.com/") for report in REPORTS)
    assert max(len(body(report)) for report in REPORTS) <= 10


@pytest.mark.parametrize("report", REPORTS, ids=NAMES)
def test_it_is_found_and_its_right_version_passes(pytester: pytest.Pytester, report: Report) -> None:
    project(
        pytester,
        test_broken=report.test.replace("WRAPPER", report.broken),
        test_right=report.test.replace("WRAPPER", report.right),
    )
    broken = outcomes(pytester, "test_broken.py")
    codes = {code for outcome, text in broken.values() if outcome == "failed" for code in re.findall(r"FL\d{3}", text)}
    assert report.finds in codes, broken
    assert {outcome for outcome, _ in broken.values()} <= {"passed", "failed"}
    right = outcomes(pytester, "test_right.py")
    assert len(right) == len(broken) >= 3
    assert {outcome for outcome, _ in right.values()} == {"passed"}, right


@pytest.mark.slow
def test_all_of_them_under_xdist(pytester: pytest.Pytester) -> None:
    """The summary of the controller knows the twins of every worker."""
    sources = {f"test_{n}_broken": report.test.replace("WRAPPER", report.broken) for n, report in enumerate(REPORTS)}
    sources |= {f"test_{n}_right": report.test.replace("WRAPPER", report.right) for n, report in enumerate(REPORTS)}
    project(pytester, **sources)
    result = pytester.runpytest_subprocess("-n", "2", "--faultlab-seed", "5")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    groups = [line for line in result.outlines if line.startswith("group ")]
    assert len(groups) == 10
    assert all("_broken.py::" in line and line.endswith("twins pass -> FAIL") for line in groups)
    assert result.parseoutcomes().keys() == {"failed", "passed"}
    assert sum("--faultlab-seed 5" in line and "all of them again" in line for line in result.outlines) == 10
