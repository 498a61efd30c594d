"""The lab tests itself: mutants of `careful` must be caught by the rule named for them, correct agents by none."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from faultlab.core.result import Result
from faultlab.matrix.life import Agent
from faultlab.matrix.row import Job
from faultlab.matrix.run import Bench, make


class MutantResult(NamedTuple):
    """One wrong agent and what caught it."""

    name: str
    expected: str
    """The rule named for it."""
    killed_by: tuple[str, ...]
    cells: tuple[str, ...]
    """`scenario/contract/twin: codes`, where it failed."""

    @property
    def killed(self) -> bool:
        return self.expected in self.killed_by


class CorrectResult(NamedTuple):
    """One right agent and what was found all the same."""

    name: str
    findings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SelftestReport:
    """The lab's own verdict on itself."""

    mutants: tuple[MutantResult, ...]
    correct: tuple[CorrectResult, ...]
    twins: tuple[tuple[str, str], ...]
    """Pairs of mutants that fail the same cells by the same codes: they prove nothing apart."""
    unproved: tuple[str, ...]
    """Rules that no mutant is named for."""

    @property
    def ok(self) -> bool:
        return (
            all(item.killed for item in self.mutants)
            and not any(item.findings for item in self.correct)
            and not self.twins
            and not self.unproved
        )


def selftest(
    bench: Bench,
    right: Agent,
    mutants: Mapping[str, tuple[Agent, str]],
    correct: Mapping[str, Agent],
    codes: Sequence[str],
    told: Callable[[str], None],
) -> SelftestReport:
    """One attempt a cell for each agent; nothing is stored. `right` is what the mutants were made from."""
    usual = {code for item in _everywhere(bench, "careful", right) for code in _codes(item)}
    judged_mutants = []
    for name, (agent, expected) in mutants.items():
        results = _everywhere(bench, name, agent)
        killed_by = sorted({code for item in results for code in _codes(item)} - usual)
        cells = tuple(
            f"{item.scenario}/{item.contract}/{item.twin}: {' '.join(sorted(item.codes))}"
            for item in results
            if item.verdict != "pass"
        )
        judged_mutants.append(MutantResult(name, expected, tuple(killed_by), cells))
        told(f"{name}: {'killed by ' + expected if expected in killed_by else 'SURVIVED ' + expected}")
    judged_correct = []
    for name, agent in {"careful": right, **correct}.items():
        found = {code for item in _everywhere(bench, name, agent) for code in _codes(item, notes=False)}
        judged_correct.append(CorrectResult(name, tuple(sorted(found))))
        told(f"{name}: {'no finding' if not found else ' '.join(sorted(found))}")
    named = {item.expected for item in judged_mutants}
    return SelftestReport(
        tuple(judged_mutants),
        tuple(judged_correct),
        _alike(judged_mutants),
        tuple(code for code in codes if code not in named),
    )


def _codes(item: Result, *, notes: bool = True) -> frozenset[str]:
    """What was found in one attempt; an attempt that failed without a finding shows as its verdict."""
    found = frozenset(finding.code for finding in item.findings) if notes else item.codes
    return found or (frozenset() if item.verdict == "pass" else frozenset({item.verdict}))


def _everywhere(bench: Bench, name: str, agent: Agent) -> list[Result]:
    trial = replace(bench, agents={name: agent})
    return [
        make(trial, Job(0, name, number, twin, 1))[0]
        for number, group in enumerate(bench.groups)
        for twin in group.twins
    ]


def _alike(mutants: Sequence[MutantResult]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (one.name, other.name)
        for number, one in enumerate(mutants)
        for other in mutants[number + 1 :]
        if one.cells == other.cells
    )
