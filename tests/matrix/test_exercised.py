"""Every fault is struck and every rule has something to judge in the shipped scenarios; what is not is listed here."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest
from cases.load import cases, everything

from faultlab.agents.careful import careful
from faultlab.agents.mutants import MUTANTS
from faultlab.core.history import History
from faultlab.core.records import Fired
from faultlab.faults.catalog import FAULT_NAMES
from faultlab.matrix.attempt import Conditions, run_attempt
from faultlab.matrix.life import Agent
from faultlab.matrix.loader import builtin
from faultlab.matrix.scenario import Group
from faultlab.rules.catalog import CATALOG
from faultlab.rules.judge import exercised

IN_FIELD_CASES = {"partial"}
"""No reference agent writes a list of items in one call; public reports of such clients do."""
NEEDS_A_MUTANT = {"FL105"}
"""Rules that `careful` gives nothing to judge: it makes nothing that it would have to take back."""


def histories(agent: Agent) -> Iterator[History]:
    """One attempt in each cell; the second variants strike the same faults once more."""
    for scenario in builtin():
        if not scenario.id.endswith("-second"):
            for group in scenario.groups():
                for twin in group.twins:
                    yield history(agent, group, twin)


def history(agent: Agent, group: Group, twin: str) -> History:
    made, why_real = run_attempt(agent, group, twin, 1, Conditions(seed=5))
    assert why_real is None
    return made


def plan_items(scenario: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for holder in (scenario, *scenario.get("twins", {}).values()):
        yield from holder.get("plan", ())


@cache
def of_careful() -> tuple[History, ...]:
    return tuple(histories(careful))


def test_every_fault_is_struck() -> None:
    struck = {event.fault for made in of_careful() for event in made.events if isinstance(event, Fired)}
    assert set(FAULT_NAMES) - struck == IN_FIELD_CASES
    planned = {item.get("fault") for case in cases(everything()) for item in plan_items(case.scenario)}
    assert planned >= IN_FIELD_CASES


def test_every_rule_has_something_to_judge() -> None:
    judged = frozenset().union(*map(exercised, of_careful()))
    assert set(CATALOG) - judged == NEEDS_A_MUTANT


@pytest.mark.parametrize("code", sorted(NEEDS_A_MUTANT))
def test_what_careful_never_does_a_mutant_does(code: str) -> None:
    wrong = [mutant.agent for mutant in MUTANTS.values() if mutant.code == code]
    assert any(code in exercised(made) for agent in wrong for made in histories(agent))
