"""The JSON forms that other programs read."""

import json

from report.samples import DUPLICATE, NO_KEY, RESENT, made, result

from faultlab.core.result import cells_of, groups_of
from faultlab.core.trace import dump, load
from faultlab.core.verdict import Verdict
from faultlab.report.as_json import attempt_json, diff_json, run_json, selftest_json


def test_a_run_has_exactly_the_members_that_are_promised() -> None:
    results = [result(1, "clean"), result(2, "never", DUPLICATE, NO_KEY), result(3, "never", RESENT, attempt=2)]
    cells = cells_of(results)
    data = json.loads(json.dumps(run_json(3, 7, cells, groups_of(cells))))
    assert set(data) == {"run", "seed", "cells", "groups"}
    never = next(cell for cell in data["cells"] if cell["twin"] == "never")
    assert never == {
        "agent": "one", "scenario": "lost-receipt", "contract": "none", "twin": "never", "verdict": "FAIL",
        "mark": "harm", "attempts": 2, "passed": 0, "findings": ["FL101", "FL201"],
        "scores": {},
    }  # fmt: skip
    assert data["groups"] == [{"agent": "one", "scenario": "lost-receipt", "contract": "none", "verdict": "FAIL"}]


def test_both_kinds_of_late_are_kept_apart() -> None:
    cells = cells_of([result(1, "clean"), result(2, "late_network"), result(3, "late_server")])
    twins = [cell["twin"] for cell in run_json(1, 7, cells, groups_of(cells))["cells"]]
    assert twins == ["clean", "late_network", "late_server"]


def test_a_lone_cell_has_no_twin() -> None:
    cells = cells_of([result(1, "clean", scenario="alone"), result(2, "clean"), result(3, "never")])
    data = run_json(1, 7, cells, groups_of(cells))
    assert {(cell["scenario"], cell["twin"]) for cell in data["cells"]} == {
        ("alone", None), ("lost-receipt", "clean"), ("lost-receipt", "never"),
    }  # fmt: skip


def test_a_selftest_has_exactly_the_members_that_are_promised() -> None:
    data = selftest_json([("m", "FL201", ("FL101", "FL201"), True)], [("c", ())], True)
    assert data == {
        "mutants": [{"name": "m", "expected": "FL201", "killed_by": ["FL101", "FL201"], "killed": True}],
        "correct_agents": [{"name": "c", "findings": []}],
        "ok": True,
    }


def test_the_history_of_an_attempt_can_be_judged_again_from_its_json() -> None:
    history = made("resender", "committed")
    data = attempt_json(1, 7, result(1, "committed", DUPLICATE), history, Verdict("fail", "harm", (DUPLICATE,)))
    again = load(json.dumps(json.loads(json.dumps(data))["history"]))
    assert dump(again) == dump(history)
    assert data["findings"][0]["code"] == "FL101"


def test_a_difference_counts_steps_from_one() -> None:
    data = diff_json(made("resender", "committed"), made("asker", "committed"))
    assert data["differs_at"] == data["equal_steps"] + 1 == 5
    same = diff_json(made("asker"), made("asker"))
    assert (same["differs_at"], same["left"], same["right"]) == (None, [], [])
