"""Public bug reports: what the client did is charged where the harm was done, and the corrected client is clean."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from cases.load import Case, cases, everything, verdicts

from faultlab.core.verdict import Verdict
from faultlab.matrix.loader import load_inline, shipped_folder
from faultlab.matrix.scenario import CLEAN, Group
from faultlab.rules.catalog import CATALOG

DATA = everything()
CASES = cases(DATA)
REPORTS = 63
"""So many reports were collected."""

each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)


@pytest.fixture
def group(case: Case, tmp_path: Path) -> Group:
    return case.group(tmp_path)


def told(found: Mapping[str, Verdict]) -> dict[str, list[str]]:
    """Twin -> what it is charged with, in words for the failure's text; those without a finding left out."""
    charged = {twin: [f"{item.code} {item.text}" for item in verdict.findings] for twin, verdict in found.items()}
    return {twin: lines for twin, lines in charged.items() if lines}


@each_case
def test_what_the_client_did_is_charged(case: Case, group: Group) -> None:
    found = verdicts(case.did, group)
    harmed = found[case.data["harm"]]
    assert list(harmed.codes) == sorted(case.data["codes"]), told(found)
    noted = {item.code for item in harmed.findings if item.severity == "note"}
    assert noted >= set(case.data.get("noted", ())), told(found)


@each_case
def test_the_corrected_client_is_clean(case: Case, group: Group) -> None:
    found = verdicts(case.right, group)
    assert told(found) == {}
    assert {twin: verdict.verdict for twin, verdict in found.items()} == dict.fromkeys(group.twins, "pass")


@each_case
def test_a_fault_is_what_makes_the_difference(case: Case, group: Group) -> None:
    """Unless the report needs no fault, the reported client may well look right on a good day."""
    if case.data["harm"] != CLEAN:
        found = verdicts(case.did, group)
        assert found[case.data["harm"]].codes != found[CLEAN].codes


def test_every_report_has_its_case_or_the_reason_why_not(capsys: pytest.CaptureFixture[str]) -> None:
    left_out = {item["id"]: item["why"] for item in DATA["left_out"]}
    ids = [case.id for case in CASES] + list(left_out)
    assert len(set(ids)) == len(ids) == REPORTS
    assert all(left_out.values())
    with capsys.disabled():
        print(f"\n{len(CASES)} of {REPORTS} reproduced; left out: {', '.join(left_out)}")


def test_every_report_can_be_looked_up() -> None:
    links = [item["url"] for item in (*DATA["cases"], *DATA["left_out"])]
    assert len(set(links)) == REPORTS
    assert all(link.startswith("https://github.com/") for link in links)


def test_what_test_tools_were_asked_for_is_a_plan_here(situation: Mapping[str, Any]) -> None:
    for item in DATA["left_out"]:
        scenario = load_inline({**situation, "id": item["id"].lower(), "plan": item["here"]})
        assert [len(plan) for plan in scenario.twins.values()] == [len(item["here"])]


@pytest.fixture
def situation() -> Mapping[str, Any]:
    return {"suite": "boundary", "contracts": ["none"], **DATA["situations"]["refund"]}


def test_no_situation_or_rule_is_named_in_vain() -> None:
    assert {case.data["situation"] for case in CASES} == set(DATA["situations"])
    assert {code for case in CASES for code in case.data["codes"]} <= set(CATALOG)


def test_a_case_is_a_scenario_that_anybody_can_run(tmp_path: Path) -> None:
    """With `faultlab run AGENT -s FILE`: nothing of these tests is needed but the queue of jobs."""
    fields = {name for case in CASES for name in case.scenario}
    schema = json.loads((shipped_folder() / "schema.json").read_text(encoding="utf-8"))
    assert fields <= set(schema["properties"])
