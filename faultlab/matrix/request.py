"""What a user asks for, and the attempts that follow from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from faultlab.core.clock import today
from faultlab.core.errors import BadInput
from faultlab.faults.on_socket import missing_on_socket
from faultlab.matrix.accepted import accepted
from faultlab.matrix.command import COMMAND
from faultlab.matrix.row import Job
from faultlab.matrix.run import jobs_of
from faultlab.matrix.scenario import Group
from faultlab.matrix.select import Selection
from faultlab.records.port import RunStore


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """What a user asks for. Everything is plain data: a worker process gets it whole."""

    agents: tuple[str, ...] = ()
    """Empty: the calibration, all reference agents."""
    scenarios: tuple[str, ...] = ()
    """Ids or files; empty: all that are shipped."""
    contracts: tuple[str, ...] = ()
    twins: tuple[str, ...] = ()
    expression: str = ""
    attempts: int = 5
    seed: int | None = None
    jobs: int = 1
    clock: str = "virtual"
    time_scale: float = 1.0
    """On the real clock: real seconds in which one second of an attempt passes."""
    suite: str = ""
    store: str | None = None
    allow_hosts: tuple[str, ...] = ()
    max_cost: float | None = None
    exit_first: bool = False
    last_failed: bool = False
    resume: bool = False
    argv: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunPlan:
    """What a run will do, known before its first attempt."""

    run: int
    seed: int
    agents: tuple[str, ...]
    groups: tuple[Group, ...]
    jobs: tuple[Job, ...]
    attempts: int
    clock: str
    calibration: bool
    whole: bool
    """Nothing was selected: every shipped group is run."""
    left_out: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Why a socket cannot show a plan -> the scenarios that programs are therefore not tried in."""

    @property
    def total(self) -> int:
        return len(self.jobs)


def plan_of(
    request: RunRequest,
    store: RunStore,
    seed: int,
    version: str,
    agents: Sequence[str],
    groups: Sequence[Group],
) -> RunPlan:
    """Number and choose the attempts. Raises BadInput where nothing is left to run."""
    if request.attempts < 1 or request.jobs < 1:
        raise BadInput("--attempts and --jobs are 1 or more")
    missing = _missing(groups) if any(agent.startswith(COMMAND) for agent in agents) else {}
    every = jobs_of(agents, groups, request.attempts, seed)
    jobs: Sequence[Job] = [job for job in every if not (job.group in missing and job.agent.startswith(COMMAND))]
    selection = Selection(twins=request.twins, expression=request.expression)
    failed = None
    if request.last_failed:
        tallies = store.latest_verdicts(agents)
        failed = {
            (item.agent, item.scenario, item.contract, item.twin) for item in tallies if item.failed or item.broken
        }
    jobs = selection.jobs(jobs, groups, failed)
    if not jobs:
        shown = "".join(f"; {why}: {', '.join(names)}" for why, names in _by_reason(groups, missing).items())
        failed_too = " that failed last time" if request.last_failed else ""
        raise BadInput(f"nothing to run: no cell matches{failed_too}{shown}")
    whole = not (request.scenarios or request.contracts or request.twins or request.expression or request.last_failed)
    protocol = {
        "attempts": request.attempts,
        "clock": request.clock,
        "planned": len(jobs),
        "suites": {group.scenario.id: group.scenario.suite for group in groups},
        "accepted": {group.scenario.id: sorted(accepted(group.scenario.ignore, today())) for group in groups},
    }
    if request.resume:
        run_number, jobs = _resumed(store, jobs)
    else:
        run_number = store.new_run(
            seed=seed,
            argv=request.argv,
            version=version,
            agents=agents,
            scenarios=[str(item) for item in request.scenarios],
            protocol=protocol,
        )
    return RunPlan(
        run_number,
        seed,
        tuple(agents),
        tuple(groups),
        tuple(jobs),
        request.attempts,
        "real" if all(agent.startswith(COMMAND) for agent in agents) else request.clock,
        not request.agents,
        whole and not request.suite,
        _by_reason(groups, missing),
    )


def _missing(groups: Sequence[Group]) -> Mapping[int, str]:
    """Which groups a program cannot be tried in, and why: its calls go over a socket of the attempt's own."""
    found = {}
    for number, group in enumerate(groups):
        reasons = (missing_on_socket(group.plan(twin), shared=False) for twin in group.twins)
        if (why := next(filter(None, reasons), None)) is not None:
            found[number] = why
    return found


def _by_reason(groups: Sequence[Group], missing: Mapping[int, str]) -> Mapping[str, tuple[str, ...]]:
    reasons = dict.fromkeys(missing.values())
    return {
        why: tuple(dict.fromkeys(groups[number].scenario.id for number, said in missing.items() if said == why))
        for why in reasons
    }


def _resumed(store: RunStore, jobs: Sequence[Job]) -> tuple[int, Sequence[Job]]:
    last = store.run("last")
    if last.finished:
        raise BadInput(f"run {last.run} came to its end; there is nothing to resume")
    made = {row.number: (row.agent, row.twin) for row in store.attempts(last.run)}
    wrong = [job for job in jobs if job.number in made and made[job.number] != (job.agent, job.twin)]
    if wrong:
        raise BadInput(f"run {last.run} was asked with other agents, scenarios or attempts; repeat its own options")
    return last.run, [job for job in jobs if job.number not in made]
