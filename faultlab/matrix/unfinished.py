"""Why a run stops early, and what that leaves: nothing that was not tried may pass."""

from collections.abc import Iterable, Mapping, Sequence

from faultlab.core.result import Cell, CellKey, Result
from faultlab.matrix.planned import unpacked
from faultlab.matrix.request import RunRequest
from faultlab.matrix.row import Job
from faultlab.matrix.scenario import Group
from faultlab.records.rows import RunRow


def reason_to_stop(request: RunRequest, run: int, result: Result, cost: float) -> str:
    """Why no attempt is made after this result; empty: go on. `cost`: of all attempts so far."""
    if request.exit_first and result.verdict in ("fail", "timeout"):
        return f"stopped at the first failure: attempt {run}:{result.number}"
    if request.max_cost is not None and cost > request.max_cost:
        return f"stopped: the attempts cost more than --max-cost {request.max_cost:g}"
    return ""


def unfinished(jobs: Iterable[Job], groups: Sequence[Group]) -> Mapping[CellKey, Cell]:
    """By its key, each cell to which one of these jobs belongs, as a cell of which nothing was tried."""
    found: dict[CellKey, Cell] = {}
    for job in jobs:
        scenario, contract = groups[job.group].scenario, groups[job.group].contract.name
        key = (job.agent, scenario.id, contract, job.twin)
        if key not in found:
            found[key] = _untried(key, scenario.suite)
    return found


def _untried(key: CellKey, suite: str) -> Cell:
    agent, scenario, contract, twin = key
    return Cell(agent, suite, scenario, contract, twin, "INCONCLUSIVE", "inconclusive", 0, 0, (), False)


def with_unmade(record: RunRow, cells: Sequence[Cell]) -> list[Cell]:
    """The cells of a stored run with what is left of its plan."""
    attempts, suites = record.protocol.get("attempts", 1), record.protocol.get("suites", {})
    made = {key_of(cell): cell.made for cell in cells}
    keys = dict.fromkeys([*made, *unpacked(record.protocol, record.agents)])
    left = [key for key in keys if made.get(key, 0) < attempts]
    return with_unfinished(cells, {key: _untried(key, suites.get(key[1], "boundary")) for key in left})


def key_of(cell: Cell) -> CellKey:
    """As `Result.cell_key`."""
    return cell.agent, cell.scenario, cell.contract, cell.twin


def with_unfinished(cells: Sequence[Cell], left: Mapping[CellKey, Cell]) -> list[Cell]:
    """The cells of a run with what is left of its plan: a pass of a part is no pass; what failed has failed."""
    told = [
        cell._replace(verdict="INCONCLUSIVE", mark="inconclusive")
        if key_of(cell) in left and cell.verdict == "PASS" else cell
        for cell in cells
    ]  # fmt: skip
    begun = set(map(key_of, cells))
    return told + [cell for key, cell in left.items() if key not in begun]
