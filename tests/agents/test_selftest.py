"""The lab's verdict on itself: what makes it fail, and what does not."""

from typing import Any

from faultlab.core.result import Result
from faultlab.core.verdict import Finding
from faultlab.matrix.loader import find
from faultlab.matrix.selftest import SelftestReport, selftest, work_of

MUTANTS = {"blind": "FL201", "deaf": "FL202"}


def result(agent: str, *findings: Finding, twin: str = "never", **changes: Any) -> Result:
    failed = any(item.severity != "note" and item.cause == "agent" for item in findings)
    made = Result(
        number=1, agent=agent, suite="boundary", scenario="lost", contract="none", twin=twin, attempt=1,
        verdict="fail" if failed else "pass", mark="wrong" if failed else "pass", findings=findings, end="claimed",
        error="", excluded_reason="", shape="s", calls=3, cost=3.0, elapsed_s=1.0,
    )  # fmt: skip
    return made._replace(**changes)


def finding(code: str, **changes: Any) -> Finding:
    return Finding(code, "fail", "it was so")._replace(**changes)


def report(*results: Result) -> SelftestReport:
    every = [result("careful"), result("right"), result("blind", finding("FL201")), result("deaf", finding("FL202"))]
    given = {(item.agent, item.twin) for item in results}
    kept = [item for item in every if (item.agent, item.twin) not in given]
    return selftest([*kept, *results], "careful", MUTANTS, ("right",), ("FL201", "FL202"))


def test_mutants_that_are_caught_and_right_agents_without_a_finding_are_as_it_should_be() -> None:
    made = report()
    assert made.ok
    assert [item.cells for item in made.mutants] == [("lost/none/never: FL201",), ("lost/none/never: FL202",)]


def test_a_mutant_that_only_another_rule_catches_has_survived() -> None:
    made = report(result("blind", finding("FL101")))
    assert not made.ok
    assert [(item.killed_by, item.killed) for item in made.mutants] == [(("FL101",), False), (("FL202",), True)]


def test_what_is_found_of_careful_in_the_same_cell_does_not_catch_a_mutant() -> None:
    noted = finding("FL201", severity="note")
    made = report(result("careful", noted), result("careful", twin="late"), result("blind", noted))
    assert [item.killed for item in made.mutants] == [False, True]
    elsewhere = report(result("careful", noted), result("blind", twin="late"), result("blind", noted, twin="late"))
    assert elsewhere.mutants[0].killed


def test_a_note_catches_and_what_the_server_caused_does_not() -> None:
    assert report(result("blind", finding("FL201", severity="note"))).ok
    assert not report(result("blind", finding("FL201", cause="server"))).mutants[0].killed


def test_mutants_found_out_in_the_same_cells_by_the_same_codes_prove_nothing_apart() -> None:
    both = finding("FL201"), finding("FL202")
    made = report(result("blind", *both), result("deaf", *both))
    assert made.twins == (("blind", "deaf"),) and not made.ok
    apart = report(result("blind", *both), result("deaf", *both), result("deaf", finding("FL202"), twin="late"))
    assert apart.ok


def test_a_rule_without_a_mutant_is_unproved() -> None:
    made = selftest([result("blind", finding("FL201"))], "careful", {"blind": "FL201"}, (), ("FL101", "FL201"))
    assert made.unproved == ("FL101",) and not made.ok


def test_a_right_agent_must_end_every_attempt_well() -> None:
    assert not report(result("right", finding("FL203"))).ok
    assert report(result("right", finding("FL305", severity="note"))).ok
    late = report(result("right", verdict="timeout"))
    assert [item.findings for item in late.correct] == [(), ("timeout",)]
    broken = report(result("right", verdict="infra_error", error="KeyError: 'order' at shop.py:3"))
    assert broken.correct[1].findings == ("infra_error",)


def test_a_fault_that_a_transport_cannot_perform_says_nothing_of_the_agent() -> None:
    assert report(result("right", verdict="infra_error", error="CannotPerform: the symptom 'cancelled' ...")).ok


def test_mutants_sit_out_the_second_variants_and_right_agents_do_not() -> None:
    groups = [group for scenario in find(["lost-receipt", "lost-receipt-second"]) for group in scenario.groups()]
    work = work_of(("careful", "blind"), MUTANTS, groups, 5)
    made = {(job.agent, groups[job.group].scenario.id) for job in work}
    assert made == {("careful", "lost-receipt"), ("careful", "lost-receipt-second"), ("blind", "lost-receipt")}
    cells = [(job.agent, job.group, job.twin) for job in work]
    twins = {
        second: [len(group.twins) for group in groups if ("second" in group.scenario.id) is second]
        for second in (False, True)
    }
    assert len(cells) == len(set(cells)) == 2 * sum(twins[False]) + sum(twins[True])
