"""Runs and attempts read back from the store, as light results without their histories."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import faultlab.app as lab
from faultlab.core.errors import BadInput
from faultlab.core.result import Cell, Result, cells_of
from faultlab.core.verdict import Finding, Score
from faultlab.report.matrix import CLEAN, twin_place


class StoredRun(NamedTuple):
    """A run as its rows tell it."""

    run: int
    seed: int
    agents: tuple[str, ...]
    attempts: int
    finished: bool
    results: Sequence[Result]
    cells: Sequence[Cell]
    """Also those of which nothing was tried: the run stopped early."""
    unmade: int
    """Attempts that were planned and not made."""


def stored_run(url: str | None, run: str) -> StoredRun:
    """`last` or a number. Raises BadInput where there is no such run."""
    if run != "last" and not lab.is_number(run):
        raise BadInput(f"{run!r} is not a run or an attempt; write RUN, RUN:N, last or last:N, for example last:12")
    record, rows = lab.stored_run(url, "last" if run == "last" else int(run))
    suites = record.protocol.get("suites", {})
    results = [_result(row, suites) for row in rows]
    if not results:
        raise BadInput(f"run {record.run} holds no attempt: it ended before its first")
    cells = lab.with_unmade(record, cells_of(results))
    attempts, unmade = record.protocol.get("attempts", 1), record.protocol.get("planned", 0) - len(results)
    return StoredRun(record.run, record.seed, record.agents, attempts, record.finished, results, cells, max(unmade, 0))


def _result(row: Any, suites: Mapping[str, str]) -> Result:
    """An attempt as it was judged when it was made."""
    failed = set(json.loads(row.failed_checks))
    findings = [_finding(item, failed) for item in json.loads(row.findings)]
    return Result(
        row.number, row.agent, suites.get(row.scenario, "boundary"), row.scenario, row.contract, row.twin or CLEAN,
        row.attempt_index, row.verdict, row.mark, tuple(findings), "claimed", "", row.excluded_reason or "",
        row.trace_digest, len(json.loads(row.calls)), row.cost or 0.0, row.elapsed_seconds,
        tuple(Score(group, *counts) for group, counts in json.loads(row.scores).items()),
    )  # fmt: skip


def _finding(stored: Sequence[Any], failed: set[str]) -> Finding:
    """[code, severity, evidence, text]; a finding that failed nothing and is no note was not the agent's doing."""
    code, severity, evidence, text = stored
    charged = severity == "note" or code in failed
    return Finding(
        code, severity, text, "", tuple(item for item in evidence if isinstance(item, int)),
        tuple(item for item in evidence if isinstance(item, str)), "agent" if charged else "server",
    )  # fmt: skip


def siblings(run: StoredRun, result: Result) -> tuple[Result, ...]:
    """The same agent and attempt in the other twins of the group."""
    same = [
        item for item in run.results
        if (item.agent, item.scenario, item.contract, item.attempt)
        == (result.agent, result.scenario, result.contract, result.attempt)
        and item.twin != result.twin
    ]  # fmt: skip
    return tuple(sorted(same, key=lambda item: twin_place(item.twin)))


def rivals(run: StoredRun, result: Result) -> list[Result]:
    """Other agents at the same attempt of the same cell; `careful` first."""
    same = [
        item for item in run.results
        if item.cell_key[1:] == result.cell_key[1:] and item.attempt == result.attempt and item.agent != result.agent
    ]  # fmt: skip
    return sorted(same, key=lambda item: (item.agent != "careful", item.number))


def rival(run: StoredRun, result: Result, agent: str) -> Result:
    """That agent's attempt at the same cell. Raises BadInput that names the agents there are."""
    found = rivals(run, result)
    for item in found:
        if item.agent == agent:
            return item
    there = ", ".join(item.agent for item in found) or "none"
    raise BadInput(f"{agent!r} is neither an address (RUN:N) nor an agent with this cell in run {run.run}: {there}")
