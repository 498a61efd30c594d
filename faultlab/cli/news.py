"""How a run goes on, told on a screen."""

import faultlab.app as lab
from faultlab.core.result import Result
from faultlab.report.progress import Meter, Silent, meter_for
from faultlab.report.screen import Screen, flowing
from faultlab.report.summary import counted, head_parts

WORTH_TELLING_S = 5.0
"""An estimate below this is not told: a few seconds are not worth a line."""


class News:
    """Implements `app.Progress` on a screen; with `--json` nothing is shown."""

    def __init__(self, screen: Screen, version: str, *, silent: bool) -> None:
        self.screen = screen
        self.version = version
        self.silent = silent
        self.meter: Meter = Silent() if silent else meter_for(screen)
        self.real_clock = False

    def planned(self, plan: "lab.RunPlan") -> None:
        if not self.silent:
            groups = plan.chosen_groups
            parts = head_parts(
                self.version, plan.seed, plan.tried, len({group.scenario.id for group in groups}), len(groups),
                plan.attempts, clock=plan.clock, calibration=plan.calibration, more=_part_of(plan),
            )  # fmt: skip
            self.screen.show(flowing(parts, self.screen.width, " · ", "  "))
        self.real_clock = plan.clock == "real"
        self.meter.start(plan.total)

    def advanced(self, result: Result) -> None:
        self.meter.advance()

    def estimated(self, remaining_s: float, cost: float) -> None:
        """Said only where it is worth knowing: a few seconds are not."""
        if remaining_s >= WORTH_TELLING_S:
            minutes, seconds = divmod(round(remaining_s), 60)
            took = f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
            self.meter.tell(f"the clean runs are done; the rest takes about {took} and costs about {cost:,.0f} calls")

    def told(self, line: str) -> None:
        self.real_clock = self.real_clock or "real clock" in line
        self.meter.tell(line)


def _part_of(plan: "lab.RunPlan") -> list[str]:
    """What of the groups is tried now, where that is not all."""
    found = []
    if plan.last_failed:
        cells = len({(job.agent, job.group, job.twin) for job in plan.chosen})
        found.append(f"only the {counted(cells, 'cell')} that failed last time")
    if plan.total < len(plan.chosen):
        found.append(f"going on with run {plan.run}: {plan.total:,} of {counted(len(plan.chosen), 'attempt')} are left")
    return found
