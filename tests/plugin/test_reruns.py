"""A test that another plugin runs again after a failure: nothing of the first run counts in the second."""

import pytest
from plugin.inner import outcomes, project

pytest_plugins = ("pytester",)

RERUN = """
from _pytest.runner import runtestprotocol

def pytest_runtest_protocol(item, nextitem):
    \"\"\"What plugins that rerun failed tests do, without a look at the result.\"\"\"
    for _ in range(2):
        item._initrequest()
        reports = runtestprotocol(item, nextitem=nextitem, log=False)
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    return True
"""
FLAKY = """
RUNS = []

@pytest.fixture
def warm():
    RUNS.append("one more")
    assert len(RUNS) != COLD

@pytest.mark.faults("lost_request", on="POST /a")
def test_flaky(warm, faultlab):
    assert len(RUNS) == 2
"""


def test_a_rerun_is_not_excused_by_the_failure_before_it(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(RERUN)
    project(pytester, test_it=FLAKY.replace("COLD", "0"))
    outcome, text = outcomes(pytester)["test_flaky[lost_request]"]
    assert outcome == "error"
    assert "did not strike" in text


def test_a_rerun_that_fails_before_the_fixture_shows_nothing_of_the_run_before(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(RERUN)
    project(pytester, test_it=FLAKY.replace("COLD", "2"))
    outcome, text = outcomes(pytester)["test_flaky[lost_request]"]
    assert outcome == "error"
    assert "Again:" not in text
