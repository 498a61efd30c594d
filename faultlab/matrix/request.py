"""What a user asks for, and the attempts that follow from it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from faultlab.core.clock import today
from faultlab.core.errors import BadInput
from faultlab.faults.on_socket import missing_on_socket
from faultlab.matrix.accepted import accepted
from faultlab.matrix.command import COMMAND
from faultlab.matrix.planned import packed
from faultlab.matrix.row import Job
from faultlab.matrix.run import jobs_of
from faultlab.matrix.scenario import Group
from faultlab.matrix.select import CellKey, Selection
from faultlab.matrix.workers import check_workers
from faultlab.records.port import RunStore
from faultlab.records.rows import CellTally

MOST_ATTEMPTS = 2_000_000
"""Of one run: they are numbered and shuffled at once, and take hours."""


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
    """Those that are made now."""
    chosen: tuple[Job, ...]
    """Those of the whole run: more, where it goes on with an earlier one."""
    attempts: int
    clock: str
    calibration: bool
    left_out: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Why a socket cannot show a plan -> the scenarios that programs are therefore not tried in."""
    last_failed: bool = False
    """Only cells that failed when they were last run were chosen."""

    @property
    def total(self) -> int:
        return len(self.jobs)

    @property
    def tried(self) -> tuple[str, ...]:
        """The agents of which something was chosen."""
        chosen = {job.agent for job in self.chosen}
        return tuple(agent for agent in self.agents if agent in chosen)

    @property
    def chosen_groups(self) -> tuple[Group, ...]:
        return tuple(self.groups[number] for number in sorted({job.group for job in self.chosen}))

    @property
    def cells_left_out(self) -> int:
        """Cells of the groups that an agent is tried in, which were not chosen."""
        cells = {(job.agent, job.group, job.twin) for job in self.chosen}
        return sum(len(self.groups[number].twins) for _, number in {cell[:2] for cell in cells}) - len(cells)


class Wanted(NamedTuple):
    """The attempts that a request asks for, before any of them has a run."""

    seed: int
    agents: tuple[str, ...]
    groups: tuple[Group, ...]
    jobs: tuple[Job, ...]
    left_out: Mapping[str, tuple[str, ...]]


def failed_last(tallies: Sequence[CellTally], agents: Collection[str], where: str) -> frozenset[CellKey]:
    """The cells that failed when they were last run. Raises BadInput where there is none."""
    who = ", ".join(agents)
    if not tallies:
        raise BadInput(f"--last-failed: {where} holds no attempt of {who}; run it first without --last-failed")
    failed = {(item.agent, item.scenario, item.contract, item.twin) for item in tallies if item.failed or item.broken}
    if not failed:
        raise BadInput(f"--last-failed: nothing to run: no cell of {who} failed when it was last run")
    return frozenset(failed)


def wanted_of(
    request: RunRequest,
    seed: int,
    agents: tuple[str, ...],
    groups: Sequence[Group],
    failed: Collection[CellKey] | None = None,
) -> Wanted:
    """Number and choose the attempts. Raises BadInput where nothing is left to run."""
    if request.attempts < 1:
        raise BadInput(f"--attempts is {request.attempts}; it must be 1 or more")
    check_workers(request.jobs)
    most = len(agents) * sum(len(group.twins) for group in groups) * request.attempts
    if most > MOST_ATTEMPTS:
        raise BadInput(
            f"--attempts is {request.attempts:,}: {most:,} attempts in all; at most {MOST_ATTEMPTS:,} go into one run."
            " Ask for fewer, or choose scenarios (-s)"
        )
    missing = _missing(groups) if any(agent.startswith(COMMAND) for agent in agents) else {}
    every = jobs_of(agents, groups, request.attempts, seed)
    possible = [job for job in every if not (job.group in missing and job.agent.startswith(COMMAND))]
    selection = Selection(twins=request.twins, expression=request.expression)
    jobs = selection.jobs(possible, groups, failed)
    left_out = _by_reason(groups, missing)
    if not jobs:
        shown = "".join(f"; {why}: {', '.join(names)}" for why, names in left_out.items())
        failed_too = " that failed last time" if request.last_failed else ""
        raise BadInput(f"nothing to run: no cell matches{failed_too}{shown}")
    return Wanted(seed, agents, tuple(groups), tuple(jobs), left_out)


def plan_of(request: RunRequest, store: RunStore, wanted: Wanted, version: str) -> RunPlan:
    """The attempts as a run of the store: a new one, or what is left of the last."""
    seed, agents, groups, jobs, left_out = wanted
    if request.resume:
        run_number, left = _resumed(store, jobs)
    else:
        left = jobs
        run_number = store.new_run(
            seed=seed,
            argv=request.argv,
            version=version,
            agents=agents,
            scenarios=[str(item) for item in request.scenarios],
            protocol=_protocol(request, wanted),
        )
    return RunPlan(
        run_number,
        seed,
        agents,
        groups,
        tuple(left),
        jobs,
        request.attempts,
        "real" if all(agent.startswith(COMMAND) for agent in agents) else request.clock,
        not request.agents,
        left_out,
        request.last_failed,
    )


def _protocol(request: RunRequest, wanted: Wanted) -> Mapping[str, Any]:
    """How the attempts are made; and which, so that a run that stopped early can be told from one that did not."""
    return {
        "attempts": request.attempts,
        "clock": request.clock,
        "planned": len(wanted.jobs),
        "suites": {group.scenario.id: group.scenario.suite for group in wanted.groups},
        "accepted": {group.scenario.id: sorted(accepted(group.scenario.ignore, today())) for group in wanted.groups},
        "cells": packed(wanted.jobs, wanted.groups, wanted.agents),
    }


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
