"""The lab tests itself: mutants of `careful` must be caught by the rule named for them, correct agents by none."""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from faultlab.core.errors import CannotPerform
from faultlab.core.result import Result
from faultlab.matrix.row import Job
from faultlab.matrix.run import jobs_of
from faultlab.matrix.scenario import Group

Cell = tuple[str, str, str]
"""Scenario, contract and twin."""


class MutantResult(NamedTuple):
    """One wrong agent and what caught it."""

    name: str
    expected: str
    """The rule named for it."""
    killed_by: tuple[str, ...]
    cells: tuple[str, ...]
    """`scenario/contract/twin: codes`, where something was found that is not found of `careful`."""

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
    """Pairs of mutants that are found out in the same cells by the same codes: they prove nothing apart."""
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


SECOND = "-second"
"""Ends the id of a scenario in which the second of two writes is struck."""


def work_of(agents: Sequence[str], mutants: Container[str], groups: Sequence[Group], seed: int) -> list[Job]:
    """One attempt a cell. Mutants sit out the second variants: these are for agents that distrust only their first
    write, and a changed row is wrong in either."""
    work = jobs_of(agents, groups, 1, seed)
    return [job for job in work if job.agent not in mutants or not groups[job.group].scenario.id.endswith(SECOND)]


def selftest(
    results: Iterable[Result], right: str, mutants: Mapping[str, str], correct: Sequence[str], codes: Sequence[str]
) -> SelftestReport:
    """`results`: the attempts of `work_of`. `right`: what the mutants were made from; `mutants`: name ->
    the rule named for it."""
    found: defaultdict[str, dict[Cell, frozenset[str]]] = defaultdict(dict)
    wrong: defaultdict[str, set[str]] = defaultdict(set)
    for item in results:
        noted = frozenset(finding.code for finding in item.findings if finding.cause == "agent")
        found[item.agent][item.scenario, item.contract, item.twin] = _or_verdict(item, noted)
        wrong[item.agent] |= _or_verdict(item, item.codes)
    judged = [_mutant(name, code, found[name], found[right]) for name, code in mutants.items()]
    named = set(mutants.values())
    return SelftestReport(
        tuple(judged),
        tuple(CorrectResult(name, tuple(sorted(wrong[name]))) for name in (right, *correct)),
        tuple((one.name, other.name) for one, other in combinations(judged, 2) if one.cells == other.cells),
        tuple(code for code in codes if code not in named),
    )


def _or_verdict(item: Result, codes: frozenset[str]) -> frozenset[str]:
    """What was found in one attempt; one that failed without a finding shows as its verdict. A fault that the agent's
    transport cannot perform says nothing of the agent."""
    told = item.verdict == "pass" or item.error.startswith(CannotPerform.__name__)
    return codes or (frozenset() if told else frozenset({item.verdict}))


def _mutant(
    name: str, expected: str, found: Mapping[Cell, frozenset[str]], usual: Mapping[Cell, frozenset[str]]
) -> MutantResult:
    """What is found of it, and is not found of the agent that it was made from."""
    new = {cell: found[cell] - usual.get(cell, frozenset()) for cell in sorted(found)}
    cells = tuple(f"{'/'.join(cell)}: {' '.join(sorted(codes))}" for cell, codes in new.items() if codes)
    return MutantResult(name, expected, tuple(sorted({code for codes in new.values() for code in codes})), cells)
