"""What a user sees of tests that ran: failures, the summary of twins, junit, async tests, loose ends."""

import xml.etree.ElementTree as ET

import pytest
from plugin.inner import outcomes, project

pytest_plugins = ("pytester",)

MAIL = """
@pytest.mark.faults("lost_receipt", on="POST /v1/mails")
def test_mail(faultlab):
    api = faultlab.in_front_of(backend())
    api.run(WRAPPER, api.client(), "hello", hands_over=OutcomeUnknown)
    api.assert_clean()
"""
EAGER = MAIL.replace("WRAPPER", "send_mail_retrying_timeouts")
RIGHT = MAIL.replace("WRAPPER", "send_mail_retrying_connections")
ONE_LOOK = """
@pytest.mark.faults("lost_receipt", on="POST /v1/orders")
def test_order(faultlab):
    api = faultlab.in_front_of(backend())
    api.run(submit_rejected_after_queries, api.client(), "O-1")
    api.assert_clean()
"""


def test_a_failure_tells_what_was_seen_what_is_true_which_rule_and_how_to_have_it_again(
    pytester: pytest.Pytester,
) -> None:
    project(pytester, test_it=EAGER)
    outcome, text = outcomes(pytester, "--faultlab-seed=7")["test_mail[committed]"]
    assert outcome == "failed"
    for told in (
        "api.assert_clean()",
        "not clean: FL101 duplicate effect",
        "the caller saw: #1 POST /v1/mails: ReadTimeout after 5 s",
        "true is:        POST /v1/mails(text=hello) took effect twice (1 wanted)",
        "FAULT lost_receipt",
        "Again: pytest 'test_it.py::test_mail[committed]' --faultlab-seed 7",
    ):
        assert told in text
    assert text.count("Again: ") == 1
    assert "faultlab/api" not in text  # the user's own line is the last of the traceback


def test_the_command_of_a_failure_makes_it_again(pytester: pytest.Pytester) -> None:
    project(pytester, test_it=EAGER)
    assert [*outcomes(pytester, "test_it.py::test_mail[committed]", "--faultlab-seed", "7")] == ["test_mail[committed]"]


def test_another_failure_shows_the_timeline_too(pytester: pytest.Pytester) -> None:
    source = RIGHT.replace("api.assert_clean()", "assert len(api.ledger) == 1")
    source = source.replace("def test_mail", "def test_ledger")
    project(pytester, test_it=source)
    found = outcomes(pytester)
    assert {name: outcome for name, (outcome, _) in found.items()} == {
        "test_ledger[never]": "failed",
        "test_ledger[committed]": "passed",
        "test_ledger[late]": "passed",
    }
    text = found["test_ledger[never]"][1]
    assert "assert 0 == 1" in text
    assert "POST /v1/mails hello" in text
    assert text.rstrip().endswith("Again: pytest 'test_it.py::test_ledger[never]' --faultlab-seed 1")


def test_twins_pass_or_fail_together_in_the_summary(pytester: pytest.Pytester) -> None:
    project(pytester, test_it=ONE_LOOK + RIGHT)
    result = pytester.runpytest_inprocess()
    result.stdout.fnmatch_lines(
        [
            "*= faultlab: twins pass or fail together =*",
            "group test_it.py::test_order: 1 of 3 twins pass -> FAIL",
            "  failed: never, late",
            "  passed: committed, by luck: the caller cannot tell these from those that failed",
            "  all of them again: pytest test_it.py::test_order --faultlab-seed 1",
        ]
    )
    assert "group test_it.py::test_mail" not in result.stdout.str()


def test_a_run_without_failures_has_no_such_section(pytester: pytest.Pytester) -> None:
    project(pytester, test_it=RIGHT)
    assert "faultlab:" not in pytester.runpytest_inprocess("-p", "no:cacheprovider").stdout.str()


def test_other_parameters_make_groups_of_their_own_and_what_was_not_run_is_named(pytester: pytest.Pytester) -> None:
    source = '@pytest.mark.parametrize("text", ["a", "b-never"])' + EAGER
    source = source.replace("test_mail(faultlab)", "test_mail(faultlab, text)")
    project(pytester, test_it=source)
    result = pytester.runpytest_inprocess("-k", "committed or late")
    result.stdout.fnmatch_lines(
        [
            "group test_it.py::test_mail[[]a]: 0 of 3 twins pass -> FAIL",
            "  failed: committed, late",
            "  not run: never",
            "  all of them again: pytest test_it.py::test_mail --faultlab-seed 1",
            "group test_it.py::test_mail[[]b-never]: 0 of 3 twins pass -> FAIL",
            "  failed: committed, late",
            "  not run: never",
        ]
    )


def test_junit_reports_name_seed_plan_and_twin(pytester: pytest.Pytester) -> None:
    project(pytester, test_it=RIGHT)
    pytester.runpytest_inprocess("--junitxml=report.xml", "--faultlab-seed=9")
    cases = ET.parse(pytester.path / "report.xml").iter("testcase")  # noqa: S314  # our own file
    told = {
        case.attrib["name"]: {item.attrib["name"]: item.attrib["value"] for item in case.iter("property")}
        for case in cases
    }
    assert told["test_mail[late]"] == {
        "faultlab_seed": "9",
        "faultlab_plan": "lost_receipt POST /v1/mails (timeout); contract none",
        "faultlab_twin": "late",
        "faultlab_twins": "never committed late",
    }


ASYNC = """
@pytest.mark.faults("lost_receipt", on="POST /v1/orders")
async def test_order(faultlab):
    api = faultlab.in_front_of(backend())
    async with api.async_client() as client:
        await api.run(order, client, "mug", hands_over=OutcomeUnknown)
    api.assert_clean()

async def order(client, item):
    for _ in range(TRIES):
        try:
            return await client.post("/v1/orders", json={"item": item})
        except httpx.ReadTimeout:
            continue
    raise OutcomeUnknown(item)
"""


@pytest.mark.parametrize(
    "mark",
    [
        "@pytest.mark.asyncio",
        "@pytest.fixture\ndef anyio_backend():\n    return 'asyncio'\n\n@pytest.mark.anyio",
    ],
    ids=["pytest-asyncio", "anyio"],
)
def test_async_tests_work(pytester: pytest.Pytester, mark: str) -> None:
    project(
        pytester,
        test_wrong=mark + ASYNC.replace("TRIES", "2"),
        test_right=mark + ASYNC.replace("TRIES", "1"),
    )
    wrong, right = outcomes(pytester, "test_wrong.py"), outcomes(pytester, "test_right.py")
    assert [outcome for outcome, _ in wrong.values()] == ["failed"] * 3
    assert "FL101" in wrong["test_order[committed]"][1]
    assert [outcome for outcome, _ in right.values()] == ["passed"] * 3, right


def test_a_fault_that_never_struck_fails_the_test(pytester: pytest.Pytester) -> None:
    source = RIGHT.replace('on="POST /v1/mails"', 'on="POST /v1/letters"').replace("api.assert_clean()", "")
    project(pytester, test_it=source)
    found = outcomes(pytester)
    assert {outcome for outcome, _ in found.values()} == {"error"}
    assert "lost_receipt POST /v1/letters (timeout); contract none did not strike" in found["test_mail[never]"][1]
    assert "POST /v1/mails hello" in found["test_mail[never]"][1]


@pytest.mark.parametrize("body", ["pass", "faultlab.in_front_of(backend())"])
def test_a_test_that_calls_nothing_fails(pytester: pytest.Pytester, body: str) -> None:
    source = f'@pytest.mark.faults("lost_receipt", on="POST /a")\ndef test_empty(faultlab):\n    {body}\n'
    project(pytester, test_it=source)
    found = outcomes(pytester)
    assert {outcome for outcome, _ in found.values()} == {"error"}
    assert "did not strike" in found["test_empty[never]"][1]


def test_a_test_that_is_skipped_or_fails_is_not_blamed_twice(pytester: pytest.Pytester) -> None:
    source = """
@pytest.mark.faults("lost_receipt", on="POST /a")
def test_skipped(faultlab):
    pytest.skip("not now")

@pytest.mark.faults("lost_receipt", on="POST /a")
def test_broken(faultlab):
    raise ZeroDivisionError
"""
    source += """
@pytest.fixture
def failing(faultlab):
    raise ZeroDivisionError

@pytest.mark.faults("lost_receipt", on="POST /a")
def test_in_a_fixture(failing): ...
"""
    project(pytester, test_it=source)
    assert pytester.runpytest_inprocess().parseoutcomes() == {"skipped": 3, "failed": 3, "errors": 3}


def test_without_a_mark_the_fixture_is_a_lab_without_faults(pytester: pytest.Pytester) -> None:
    source = """
def test_plain(faultlab):
    api = faultlab.in_front_of(backend())
    api.run(send_mail_retrying_timeouts, api.client(), "hello")
    api.assert_clean()
    assert len(api.ledger) == 1
    assert api.seed == 4
"""
    project(pytester, test_it=source)
    assert outcomes(pytester, "--faultlab-seed=4")["test_plain"] == ("passed", "")


def test_several_marks_are_each_in_their_own_twin(pytester: pytest.Pytester) -> None:
    source = """
@pytest.mark.faults("lost_receipt", on="POST /v1/a")
@pytest.mark.faults("lost_receipt", on="POST /v1/b", symptom="reset")
def test_both(faultlab, request):
    api = faultlab.in_front_of(backend())
    for path in ("/v1/a", "/v1/b"):
        with pytest.raises(httpx.TransportError):
            api.client().post(path, json={"n": 1})
    happened = [path in {effect.tool for effect in api.ledger} for path in ("POST /v1/a", "POST /v1/b")]
    assert happened == [twin != "never" for twin in request.node.callspec.id.split("-")]
"""
    project(pytester, test_it=source)
    found = outcomes(pytester)
    assert len(found) == 9
    assert {outcome for outcome, _ in found.values()} == {"passed"}, found


SCENARIO = """
from faultlab.agents.catalog import AGENTS

@pytest.mark.scenario("lost-receipt", contract="status")
def test_agent(faultlab):
    faultlab.judge(AGENTS["NAME"])
"""


def test_an_agent_is_judged_in_every_twin_of_a_scenario(pytester: pytest.Pytester) -> None:
    project(
        pytester, test_careful=SCENARIO.replace("NAME", "careful"), test_blind=SCENARIO.replace("NAME", "blind_retry")
    )
    careful = outcomes(pytester, "test_careful.py")
    assert [outcome for outcome, _ in careful.values()] == ["passed"] * 5, careful
    blind = outcomes(pytester, "test_blind.py")
    assert {name: outcome for name, (outcome, _) in blind.items() if outcome == "passed"} == {
        "test_agent[clean]": "passed"
    }
    text = blind["test_agent[committed]"][1]
    assert "FL101" in text
    assert "Again: pytest 'test_blind.py::test_agent[committed]' --faultlab-seed 1" in text
    result = pytester.runpytest_inprocess("test_blind.py")
    result.stdout.fnmatch_lines(["group test_blind.py::test_agent: 1 of 5 twins pass -> FAIL"])
    assert "by luck" not in result.stdout.str()  # the clean run is no twin


def test_a_scenario_without_an_agent_fails(pytester: pytest.Pytester) -> None:
    project(pytester, test_it='@pytest.mark.scenario("two-intended")\ndef test_agent(faultlab): ...\n')
    found = outcomes(pytester)
    assert {outcome for outcome, _ in found.values()} == {"error"}
    assert "no agent has run yet; call faultlab.judge(agent)" in next(iter(found.values()))[1]


def test_a_scenario_file_is_found_beside_the_test(pytester: pytest.Pytester) -> None:
    folder = pytester.mkdir("tests")
    file = folder / "mine.yaml"
    file.write_text(MINE, encoding="utf-8")
    (folder / "test_it.py").write_text(
        "import pytest\nfrom faultlab import Claim\n\n"
        '@pytest.mark.scenario("mine.yaml")\n'
        "def test_agent(faultlab):\n"
        "    claim = faultlab.attempt(lambda task, env: Claim.not_done('No.'))\n"
        "    assert claim.text == 'No.'\n    assert faultlab.ledger == []\n",
        encoding="utf-8",
    )
    project(pytester)
    found = outcomes(pytester)
    assert found == {"test_agent[none-clean]": ("passed", "")}


MINE = """
id: mine
suite: boundary
task: Refund order A17 in full.
toolset: shop
world: {orders: {A17: {status: paid, total: "40.00"}}}
contracts: [none]
expect: {effects: [{tool: refund_order, identity: {order_id: A17}}]}
"""
