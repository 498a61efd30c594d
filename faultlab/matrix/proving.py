"""Makes the selftest's attempts: the right agent, the correct ones and all mutants, in the shipped scenarios."""

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from typing import NamedTuple

from faultlab.agents.correct import CORRECT
from faultlab.agents.mutants import MUTANTS
from faultlab.core.result import Result
from faultlab.matrix.expected import scenarios_with
from faultlab.matrix.run import Bench, Prepare, in_processes, unrecorded
from faultlab.matrix.selftest import SelftestReport, selftest, work_of
from faultlab.matrix.workers import check_workers

RIGHT = "careful"
"""What the mutants were made from."""


def proving(bench: Bench) -> Bench:
    """The same bench with every agent that the selftest needs beside RIGHT."""
    mutants = {name: mutant.agent for name, mutant in MUTANTS.items()}
    return replace(bench, agents={**bench.agents, **CORRECT, **mutants})


def prove(
    prepare: Prepare,
    workers: int,
    codes: Sequence[str],
    *,
    started: Callable[[int], None],
    advanced: Callable[[Result], None],
) -> SelftestReport:
    """`prepare` makes a bench as `proving` gives it; `codes`: the rules that must catch something; `started` is told
    how many attempts there are."""
    check_workers(workers)
    bench = prepare()
    work = work_of(tuple(bench.agents), MUTANTS, bench.groups, bench.conditions.seed)
    started(len(work))
    attempts = in_processes(prepare, work, workers, unrecorded) if workers > 1 else unrecorded(bench, work)
    results: list[Result] = []
    with closing(attempts):
        for result, _ in attempts:
            advanced(result)
            results.append(result)
    named = {name: mutant.code for name, mutant in MUTANTS.items()}
    return selftest(results, RIGHT, named, tuple(CORRECT), codes)


class Proof(NamedTuple):
    """Where a rule can be seen at work."""

    scenarios: tuple[str, ...]
    """In which a reference agent is found out by it."""
    mutants: tuple[str, ...]
    """Wrong agents that it is there to catch."""


def proof_of(code: str) -> Proof:
    """Of one rule; empty for what is none."""
    mutants = tuple(name for name, (_, expected) in MUTANTS.items() if expected == code.upper())
    return Proof(scenarios_with(code.upper()), mutants)
