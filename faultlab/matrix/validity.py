"""Whether the groups themselves are fit to judge by: the oracle passes each, and no constant claim does.

Probes: Jepsen's and Antithesis' lesson that an oracle needs a twin which shows that it can fail.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from faultlab.agents.oracle import oracle
from faultlab.agents.probes import NULL, PROBES
from faultlab.core.result import cells_of, groups_of
from faultlab.core.verdict import CellVerdict
from faultlab.matrix.attempt import Agent
from faultlab.matrix.row import Job
from faultlab.matrix.run import Bench, make


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


def check(bench: Bench) -> Validity:
    """One attempt a cell for the oracle and for each probe; nothing is stored."""
    agents: dict[str, Agent] = {"oracle": oracle, **PROBES}
    trial = replace(bench, agents=agents)
    invalid: list[str] = []
    oracle_cells = null_cells = cells = 0
    for number, group in enumerate(bench.groups):
        results = []
        for name in agents:
            results += [make(trial, Job(0, name, number, twin, 1))[0] for twin in group.twins]
        judged = groups_of(cells_of(results))
        verdicts = {item.agent: item.verdict for item in judged}
        invalid += _faults(f"{group.scenario.id}/{group.contract.name}", verdicts)
        cells += len(group.twins)
        oracle_cells += sum(cell.verdict == "PASS" for item in judged if item.agent == "oracle" for cell in item.cells)
        null_cells += sum(cell.verdict == "PASS" for item in judged if item.agent == NULL for cell in item.cells)
    return Validity(len(bench.groups), cells, oracle_cells, null_cells, tuple(invalid))


def _faults(where: str, verdicts: dict[str, CellVerdict]) -> Sequence[str]:
    passing = [name for name, verdict in verdicts.items() if name != "oracle" and verdict == "PASS"]
    found = [f"{where}: the constant agent {name!r} passes it" for name in passing]
    if verdicts["oracle"] != "PASS":
        found.append(f"{where}: the oracle ends {verdicts['oracle']}")
    return found
