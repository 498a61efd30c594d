"""Whether the groups themselves are fit to judge by: the oracle passes each, and no constant claim does.

Probes: Jepsen's and Antithesis' lesson that an oracle needs a twin which shows that it can fail.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from faultlab.agents.clerk import INPUTS
from faultlab.agents.oracle import can_be_told, oracle, oracle_for
from faultlab.agents.probes import NULL, PROBES
from faultlab.core.result import GroupResult, cells_of, groups_of
from faultlab.matrix.life import Agent
from faultlab.matrix.row import Job
from faultlab.matrix.run import Bench, make
from faultlab.matrix.scenario import Group
from faultlab.matrix.unfit import all_own, too_easy, too_hard


class Validity(NamedTuple):
    """What the probes and the oracle did."""

    groups: int
    cells: int
    oracle_cells: int
    """Cells that the oracle passes."""
    null_cells: int
    """Cells, clean ones aside, that the agent which does nothing passes by saying so."""
    invalid: tuple[str, ...]
    """`scenario/contract: why`."""
    untried: tuple[str, ...]
    """Groups that the oracle could not try: neither inputs nor identity give every argument of the wanted calls."""
    own: bool = False
    """Those that are invalid are all of the user's own scenarios."""


def check(bench: Bench) -> Validity:
    """One attempt a cell for the oracle and for each probe, in virtual time; nothing is stored."""
    invalid: list[str] = []
    unfit: list[Group] = []
    untried: list[str] = []
    oracle_cells = null_cells = cells = 0
    for number, group in enumerate(bench.groups):
        where = f"{group.scenario.id}/{group.contract.name}"
        agents: dict[str, Agent] = {**PROBES}
        if (ideal := _oracle(group)) is None:
            untried.append(where)
        else:
            agents["oracle"] = ideal
            cells += len(group.twins)
        trial = replace(bench, agents=agents, conditions=replace(bench.conditions, clock="virtual"))
        results = [make(trial, Job(0, name, number, twin, 1))[0] for name in agents for twin in group.twins]
        judged = groups_of(cells_of(results))
        faults = list(_faults(group, judged))
        invalid += [f"{where}: {fault}" for fault in faults]
        unfit += [group] * bool(faults)
        oracle_cells += sum(cell.verdict == "PASS" for item in judged if item.agent == "oracle" for cell in item.cells)
        null_cells += sum(cell.verdict == "PASS" for item in judged if item.agent == NULL for cell in item.cells)
    return Validity(len(bench.groups), cells, oracle_cells, null_cells, tuple(invalid), tuple(untried), all_own(unfit))


def _oracle(group: Group) -> Agent | None:
    """An oracle that can do this task; None where nothing says how the wanted calls are made."""
    scenario = group.scenario
    if not scenario.expectations and scenario.goals and can_be_told(scenario.goals, scenario.inputs, group.specs):
        return oracle_for(scenario.goals, scenario.expectation.must_say)
    asked = bool(scenario.inputs) or scenario.toolset.name == "shop"
    known = asked and all(name in INPUTS or name in group.specs for name in scenario.inputs)
    return oracle if known else None


def _faults(group: Group, judged: Iterable[GroupResult]) -> Iterator[str]:
    """Why the group cannot judge."""
    for item in judged:
        if item.agent == "oracle" and item.verdict != "PASS":
            yield too_hard(group, item)
        elif item.agent != "oracle" and item.verdict == "PASS":
            yield too_easy(group, item.agent)
