"""Which cells a run was to try, written small enough to be kept beside it, and read back."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from faultlab.core.result import CellKey
from faultlab.matrix.row import Job
from faultlab.matrix.scenario import Group


def packed(jobs: Iterable[Job], groups: Sequence[Group], agents: Sequence[str]) -> list[list[Any]]:
    """[scenario, contracts, twins, places of agents] of each block of cells; together they are those of the jobs."""
    twins: dict[tuple[int, int], dict[str, None]] = {}
    for job in jobs:
        twins.setdefault((job.group, agents.index(job.agent)), {})[job.twin] = None
    members: dict[tuple[int, tuple[str, ...]], list[int]] = {}
    for (number, agent), chosen in sorted(twins.items()):
        members.setdefault((number, tuple(sorted(chosen))), []).append(agent)
    contracts: dict[tuple[str, tuple[str, ...], tuple[int, ...]], list[str]] = {}
    for (number, names), places in members.items():
        block = (groups[number].scenario.id, names, tuple(places))
        contracts.setdefault(block, []).append(groups[number].contract.name)
    return [[scenario, kinds, [*names], [*places]] for (scenario, names, places), kinds in contracts.items()]


def unpacked(protocol: Mapping[str, Any], agents: Sequence[str]) -> list[CellKey]:
    """The cells that `packed` wrote into a protocol; none for a run that was made before it did."""
    return [
        (agents[place], scenario, contract, twin)
        for scenario, contracts, twins, places in protocol.get("cells", ())
        for place in places
        for contract in contracts
        for twin in twins
    ]
