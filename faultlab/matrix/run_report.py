"""What a run found."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from faultlab.core.result import Cell, CellKey, GroupResult, Tally, groups_of
from faultlab.matrix.request import RunPlan
from faultlab.matrix.unfinished import with_unfinished
from faultlab.matrix.validity import Validity


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a run found."""

    plan: RunPlan
    tally: Tally
    interrupted: bool
    elapsed_s: float
    validity: Validity
    surprises: list[str]
    """Calibration only: cells that did not land where `expected.yaml` says."""
    store_where: str
    unmade: int = 0
    """Attempts that were planned and not made: it stopped early."""
    left: Mapping[CellKey, Cell] = field(default_factory=dict)
    """The cells to which those belong: none of them passes."""

    @property
    def run(self) -> int:
        return self.plan.run

    @property
    def seed(self) -> int:
        return self.plan.seed

    @property
    def cells(self) -> list[Cell]:
        return with_unfinished(self.tally.cells(), self.left)

    @property
    def groups(self) -> list[GroupResult]:
        return groups_of(self.cells)

    @property
    def exit_code(self) -> int:
        """0 as it should be, 1 findings, 3 inconclusive, 4 the harness is at fault."""
        if self.plan.calibration:
            return 4 if self.surprises or self.validity.invalid else 3 if self.unmade else 0
        if self.validity.invalid:
            return 4
        verdicts = {item.verdict for item in self.groups}
        return 1 if "FAIL" in verdicts else 3 if "INCONCLUSIVE" in verdicts or not verdicts else 0
