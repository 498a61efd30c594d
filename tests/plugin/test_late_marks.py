"""Marks that do not stand at a function: on a set of parameters, added by a conftest, in a unittest.TestCase."""

import pytest
from plugin.inner import outcomes, project

pytest_plugins = ("pytester",)

PARAMS = """
LOST = pytest.mark.faults("lost_receipt", on="POST /v1/mails")
REFUSED = pytest.mark.faults("no_connection", on="POST /v1/mails", occurrence=2)

@pytest.mark.parametrize("text", [pytest.param("a", marks=LOST), pytest.param("b", marks=REFUSED), "c"])
def test_mail(faultlab, text):
    api = faultlab.in_front_of(backend())
    api.run(post_twice, api.client(), text)

def post_twice(client, text):
    for _ in range(2):
        try:
            client.post("/v1/mails", json={"text": text})
        except httpx.TransportError:
            pass
"""


def test_a_mark_of_one_set_of_parameters_makes_twins_of_that_one(pytester: pytest.Pytester) -> None:
    project(pytester, test_it=PARAMS)
    found = outcomes(pytester)
    twins = [f"a-{twin}" for twin in ("never", "committed", "late")]
    assert [*found] == [f"test_mail[{name}]" for name in (*twins, "b-no_connection", "c")]
    assert {outcome for outcome, _ in found.values()} == {"passed"}, found


def test_it_multiplies_with_the_marks_of_the_function(pytester: pytest.Pytester) -> None:
    own = '@pytest.mark.faults("lost_request", on="POST /v1/letters")\n@pytest.mark.parametrize'
    project(pytester, test_it=PARAMS.replace("@pytest.mark.parametrize", own))
    assert [*outcomes(pytester)] == [
        *(f"test_mail[a-lost_request-{twin}]" for twin in ("never", "committed", "late")),
        "test_mail[b-lost_request-no_connection]",
        "test_mail[c-lost_request]",
    ]


def test_what_is_wrong_with_it_is_told_with_its_line(pytester: pytest.Pytester) -> None:
    project(pytester, test_it=PARAMS.replace("lost_receipt", "lost_recipt"))
    result = pytester.runpytest_inprocess()
    assert result.parseoutcomes() == {"errors": 1}
    result.stdout.fnmatch_lines(["*test_it.py:4: unknown fault 'lost_recipt'; known: *"])


MARK = 'pytest.mark.faults("lost_receipt", on="POST /v1/mails")'
LATER = f"""
import pytest

def pytest_collection_modifyitems(items):
    for item in items:
        if item.originalname == "test_late":
            item.add_marker({MARK})
"""
TESTS = """
def test_late(faultlab): ...

def test_other(faultlab): ...
"""


def test_a_mark_that_comes_too_late_is_an_error_of_its_test_alone(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(LATER)
    own = '@pytest.mark.faults("lost_request", tool="refund")\n'
    project(pytester, test_it=TESTS, test_marked=own + TESTS.partition("def test_other")[0].lstrip())
    found = outcomes(pytester)
    assert found["test_other"] == ("passed", "")
    for name in ("test_late", "test_late[lost_request]"):
        outcome, text = found[name]
        assert outcome == "error"
        assert "the mark 'faults' was added by add_marker to a test that is made already" in text
        assert "metafunc.definition.add_marker(...)" in text


def test_a_conftest_adds_it_in_time_as_that_error_says(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        "import pytest\n\ndef pytest_generate_tests(metafunc):\n"
        f'    if metafunc.function.__name__ == "test_late":\n        metafunc.definition.add_marker({MARK})\n'
    )
    project(pytester, test_it=TESTS)
    found = outcomes(pytester)
    assert [*found] == [*(f"test_late[{twin}]" for twin in ("never", "committed", "late")), "test_other"]


def test_in_a_unittest_it_is_an_error_of_that_test_that_says_what_to_write(pytester: pytest.Pytester) -> None:
    source = f"""
import unittest

class TestWithout(unittest.TestCase):
    @{MARK}
    def test_refund(self): ...

    def test_other(self): ...

@{MARK}
class TestWith(unittest.TestCase):
    @pytest.fixture(autouse=True)
    def lab(self, faultlab): ...

    def test_refund(self): ...
"""
    project(pytester, test_it=source)
    found = outcomes(pytester)
    assert found.pop("TestWithout::test_other")[0] == "passed"
    assert [*found] == ["TestWithout::test_refund", "TestWith::test_refund"]
    for outcome, text in found.values():
        assert outcome == "error"
        assert "cannot do in a unittest.TestCase: write a function, or a class without that base" in text


def test_on_parameters_of_a_test_without_the_fixture_it_is_an_error_of_that_test(pytester: pytest.Pytester) -> None:
    project(pytester, test_it=PARAMS.replace("(faultlab, text):", "(text):\n    return"))
    found = outcomes(pytester)
    assert [outcome for outcome, _ in found.values()] == ["error", "error", "passed"]
    assert "does nothing in a test without the fixture 'faultlab'" in found["test_mail[a]"][1]
