"""The rules can fail: each mutant of `careful` is caught by the rule named for it, and no constant claim passes."""

from functools import cache, partial
from itertools import combinations

import pytest

from faultlab.agents.careful import careful
from faultlab.agents.mutants import MUTANTS
from faultlab.agents.probes import PROBES
from faultlab.client.policy import TABLE
from faultlab.core.verdict import Verdict, merge_cell, merge_group
from faultlab.matrix.attempt import Agent, Conditions, run_attempt
from faultlab.matrix.loader import find
from faultlab.matrix.scenario import Group
from faultlab.rules.catalog import CATALOG
from faultlab.rules.judge import judge

Cell = tuple[str, str, str]


@cache
def groups() -> tuple[Group, ...]:
    """One refund whose receipt is lost, silently or behind a 5xx, and two equal orders."""
    names = ["lost-receipt", "gateway-error", "two-intended"]
    return tuple(group for scenario in find(names) for group in scenario.groups())


def judged(agent: Agent, group: Group, twin: str) -> Verdict:
    history, why_real = run_attempt(agent, group, twin, 1, Conditions(seed=5))
    assert why_real is None
    return judge(history)


@cache
def everywhere(name: str) -> dict[Cell, Verdict]:
    agent = MUTANTS[name][0] if name in MUTANTS else careful
    return {
        (group.scenario.id, group.contract.name, twin): judged(agent, group, twin)
        for group in groups()
        for twin in group.twins
    }


def test_every_rule_has_a_mutant_and_every_mutant_a_rule() -> None:
    assert {code for _, code in MUTANTS.values()} == set(CATALOG)


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_differs_from_careful_in_one_row(name: str) -> None:
    agent, _ = MUTANTS[name]
    assert isinstance(agent, partial)
    assert agent.func is careful
    table = agent.keywords["table"]
    assert sum(new != old for new, old in zip(table, TABLE, strict=True)) == 1


def test_what_they_were_made_from_is_right() -> None:
    assert {(item.verdict, item.findings) for item in everywhere("careful").values()} == {("pass", ())}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_mutant_is_caught_by_the_rule_named_for_it(name: str) -> None:
    code = MUTANTS[name][1]
    caught = [
        verdict for verdict in everywhere(name).values() if code in {finding.code for finding in verdict.findings}
    ]
    assert caught
    if CATALOG[code].severity != "note":
        assert any(code in verdict.codes and verdict.verdict in ("fail", "timeout") for verdict in caught)


def test_no_two_mutants_fail_in_the_same_cells_by_the_same_codes() -> None:
    failed = {
        name: {
            cell: verdict.codes or (verdict.verdict,)
            for cell, verdict in everywhere(name).items()
            if verdict.verdict != "pass"
        }
        for name in MUTANTS
    }
    assert [pair for pair in combinations(MUTANTS, 2) if failed[pair[0]] == failed[pair[1]]] == []


@pytest.mark.parametrize("name", PROBES)
def test_no_constant_claim_passes_a_group(name: str) -> None:
    for group in groups():
        cells = [merge_cell([judged(PROBES[name], group, twin).verdict]) for twin in group.twins]
        assert merge_group(cells) != "PASS", group.contract.name
