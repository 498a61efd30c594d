"""What the plugin does while pytest collects: ids, and errors at the line that is wrong. Pytest runs inside pytest."""

import re
from pathlib import Path

import pytest

import faultlab.api.bound

pytest_plugins = ("pytester",)

HEAD = "import pytest\n"


@pytest.fixture(autouse=True)
def _project(pytester: pytest.Pytester) -> None:
    pytester.makepyprojecttoml('[tool.pytest.ini_options]\nasyncio_default_fixture_loop_scope = "function"')


def ids(pytester: pytest.Pytester, source: str) -> list[str]:
    """The ids of the tests of a file, without its name."""
    pytester.makepyfile(HEAD + source)
    items, _ = pytester.inline_genitems()
    return [item.nodeid.partition("::")[2] for item in items]


def test_the_twins_of_a_lost_receipt_have_readable_ids(pytester: pytest.Pytester) -> None:
    source = """
@pytest.mark.faults("lost_receipt", on="POST /v1/refunds")
def test_refund(faultlab): ...
"""
    assert ids(pytester, source) == ["test_refund[never]", "test_refund[committed]", "test_refund[late]"]


def test_late_is_split_where_the_contract_can_tell_its_kinds_apart(pytester: pytest.Pytester) -> None:
    source = """
@pytest.mark.faults("lost_receipt", on="POST /v1/refunds", contract="strict")
def test_refund(faultlab): ...
"""
    assert ids(pytester, source) == [
        f"test_refund[{twin}]" for twin in ("never", "committed", "late_network", "late_server")
    ]


def test_other_faults_are_one_case_and_several_marks_multiply(pytester: pytest.Pytester) -> None:
    source = """
@pytest.mark.faults("lost_receipt", on="POST /v1/refunds")
@pytest.mark.faults("no_connection", tool="send_mail")
def test_refund(faultlab): ...

@pytest.mark.faults("lost_receipt", on="POST /v1/refunds")
@pytest.mark.faults("lost_receipt", on="POST /v1/refunds", occurrence=2)
def test_twice(faultlab): ...
"""
    twins = ("never", "committed", "late")
    assert ids(pytester, source) == [
        *(f"test_refund[{twin}-no_connection]" for twin in twins),
        *(f"test_twice[{first}-{second}]" for first in twins for second in twins),
    ]


def test_marks_on_classes_and_modules_and_other_parameters_go_together(pytester: pytest.Pytester) -> None:
    source = """
pytestmark = pytest.mark.faults("lost_request", on="POST /v1/refunds")

@pytest.mark.parametrize("currency", ["EUR", "JPY"])
def test_one(faultlab, currency): ...

@pytest.mark.faults("torn_record", on="POST /v1/mails", contract="strict")
class TestTwo:
    @pytest.fixture
    def api(self, faultlab): ...

    def test_through_a_fixture(self, api): ...
"""
    assert ids(pytester, source) == [
        "test_one[EUR-lost_request]",
        "test_one[JPY-lost_request]",
        "TestTwo::test_through_a_fixture[lost_request-torn_record]",
    ]


def test_a_scenario_gives_its_twins_under_one_contract_or_all(pytester: pytest.Pytester) -> None:
    source = """
@pytest.mark.scenario("lost-receipt", contract="none")
def test_none(faultlab): ...

@pytest.mark.scenario("lost-receipt", contract="strict")
def test_strict(faultlab): ...

@pytest.mark.scenario("lost-receipt")
def test_all(faultlab): ...
"""
    found = ids(pytester, source)
    assert found[:4] == [f"test_none[{twin}]" for twin in ("clean", "never", "committed", "late")]
    assert found[4:9] == [
        f"test_strict[{twin}]" for twin in ("clean", "never", "committed", "late_network", "late_server")
    ]
    assert {"test_all[none-late]", "test_all[strict-late_server]", "test_all[settle-clean]"} <= set(found[9:])


MARK = "@pytest.mark.faults({})"
WRONG = [
    ('"lost_recipt", on="POST /a"', r"unknown fault 'lost_recipt'.*known: .*lost_receipt"),
    ('"lost_receipt", on="POST /a", symptm="reset"', r"unknown option 'symptm' \(did you mean 'symptom'\?\); known: "),
    ('"lost_receipt", on="POST /a", symptom="rest"', r"no symptom 'rest' \(did you mean 'reset'\?\); it has timeout,"),
    ('"no_connection", on="POST /a", symptom="truncated"', r"no_connection has no symptom 'truncated'.*timeout, reset"),
    ('"lost_receipt", on="POST /a", symptom="cancelled"', r"no symptom 'cancelled'"),
    ('"lost_receipt", on="POST /a", occurrence=0', "occurrence=0 counts the calls from 1"),
    ('"lost_receipt", on="/v1/refunds"', "'/v1/refunds' is no route: write METHOD /path"),
    ('"lost_receipt", on="post /v1/refunds"', "'post /v1/refunds' is no route"),
    ('"lost_receipt", tool=""', "tool='' is not the name of a tool"),
    ('"lost_receipt"', "either on=.* or tool="),
    ('"lost_receipt", on="POST /a", tool="a"', "either on=.* or tool="),
    ('on="POST /a"', "it takes the name of a fault"),
    ('"lost_receipt", on="POST /a", contract="strickt"', r"unknown contract 'strickt'; known: none,"),
    ('"lost_receipt", on="POST /a", match=7', "match=7 must map arguments to values"),
    ('"lost_receipt", on="POST /a", match={1: 2}', r"match=\{1: 2\} must map arguments to values"),
    ('"lost_receipt", tool="a", match={"day": {1}}', r"match=\{'day': \{1\}\} matches no call, .* recorded as JSON"),
    ('"lost_receipt", on=["POST /a"]', r"on=\['POST /a'\] is not one route; write a mark of its own"),
    ('"lost_receipt", on="POST /a", raises=OSError', "raises= is for a wrapped Python function; an HTTP client"),
    ('"lost_receipt", tool="post /a"', "'post /a' is no route"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "said"), WRONG)
def test_what_is_wrong_is_told_with_its_line(pytester: pytest.Pytester, arguments: str, said: str) -> None:
    path = pytester.makepyfile(f"{HEAD}\n\n{MARK.format(arguments)}\ndef test_refund(faultlab): ...\n")
    check_told(pytester, path, 4, said)


def check_told(pytester: pytest.Pytester, path: Path, line: int, said: str) -> None:
    """The collection fails with one line about that place, and without a traceback."""
    result = pytester.runpytest_inprocess()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    told = [item for item in result.outlines if item.startswith(f"{path}:{line}: ")]
    assert len(told) == 1, result.stdout.str()
    assert re.search(said, told[0]), told[0]
    assert "Traceback" not in result.stdout.str()
    assert result.parseoutcomes() == {"errors": 1}


LOST = '@pytest.mark.faults("lost_receipt", on="POST /a"{})\n'
TEST = "def test_refund(faultlab): ...\n"
TOGETHER = {
    "two for one call": (LOST.format("") * 2, 4, "two marks strike call 1 of POST /a"),
    "two contracts": (
        LOST.format(', contract="ietf"') + LOST.format(', occurrence=2, contract="strict"'),
        4,
        "one contract, but its marks say ietf and strict",
    ),
    "over several lines": (
        '@pytest.mark.faults(\n    "lost_receipt",\n    on="POST /a",\n    symptom="nothing",\n)\n',
        3,
        "no symptom 'nothing'",
    ),
    "of the module": ('pytestmark = [pytest.mark.faults("lost", tool="a")]\n\n', 3, "unknown fault 'lost'"),
    "with a name for a value": ('BAD = "lost"\n\n@pytest.mark.faults(BAD, tool="a")\n', 5, "unknown fault 'lost'"),
    "no such scenario": (
        '@pytest.mark.scenario("lost-recept")\n',
        3,
        "unknown scenario 'lost-recept'; did you mean 'lost-receipt'",
    ),
    "no such contract of a scenario": (
        '@pytest.mark.scenario("lost-receipt", contract="strickt")\n',
        3,
        "unknown contract 'strickt'; the chosen scenarios have: none",
    ),
    "no such option of a scenario": (
        '@pytest.mark.scenario("lost-receipt", twin="never")\n',
        3,
        "unknown option 'twin'; known: contract",
    ),
    "scenario and faults": (
        '@pytest.mark.scenario("lost-receipt")\n' + LOST.format(""),
        4,
        "scenario: it stands alone",
    ),
}


@pytest.mark.parametrize(("source", "line", "said"), TOGETHER.values(), ids=TOGETHER)
def test_marks_that_do_not_go_together_are_told_with_a_line(
    pytester: pytest.Pytester, source: str, line: int, said: str
) -> None:
    check_told(pytester, pytester.makepyfile(f"{HEAD}\n{source}{TEST}"), line, said)


def test_a_mark_without_the_fixture_is_an_error(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(HEAD + '@pytest.mark.faults("lost_receipt", tool="a")\ndef test_refund(): ...\n')
    result = pytester.runpytest_inprocess()
    result.stdout.fnmatch_lines(["*::test_refund: the mark 'faults' does nothing in a test without the fixture*"])
    assert result.parseoutcomes() == {"errors": 1}


def test_marks_of_others_with_these_names_are_left_alone(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        HEAD + '@pytest.mark.scenario("my own")\n@pytest.mark.faults(3)\ndef test_other(): ...\n'
        '\n@pytest.mark.scenario("my own")\n@pytest.mark.parametrize("n", [1])\ndef test_third(n): ...\n'
    )
    assert pytester.runpytest_inprocess().parseoutcomes() == {"passed": 2}


@pytest.mark.parametrize(
    ("option", "said"), [("--faultlab-sed=1", "unrecognized arguments: --faultlab-sed=1"), ("--faultlab-seed=x", "int")]
)
def test_a_misspelt_option_is_refused(pytester: pytest.Pytester, option: str, said: str) -> None:
    result = pytester.runpytest_inprocess(option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{said}*"])


def test_the_marks_are_registered(pytester: pytest.Pytester) -> None:
    source = '@pytest.mark.faults("lost_receipt", tool="a")\ndef test_refund(faultlab): ...\n'
    pytester.makepyfile(HEAD + source)
    assert pytester.runpytest_inprocess("--strict-markers", "--collect-only").ret == 0
    pytester.runpytest_inprocess("--markers").stdout.fnmatch_lines(["@pytest.mark.faults(*", "@pytest.mark.scenario(*"])


def test_a_fixture_of_the_users_own_with_that_name_is_left_alone(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        HEAD + '@pytest.fixture(params=["a", "b"])\ndef faultlab(request):\n    return request.param\n\n'
        "def test_mine(faultlab):\n    assert faultlab in 'ab'\n"
    )
    assert pytester.runpytest_inprocess().parseoutcomes() == {"passed": 2}


assert faultlab.api.bound is not None  # loaded before pytest runs inside pytest, or each run would load it again
