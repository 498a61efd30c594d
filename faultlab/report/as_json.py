"""What `--json` prints, as plain data."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from faultlab.core.history import History
from faultlab.core.result import Cell, GroupResult, Result
from faultlab.core.trace import dump
from faultlab.core.verdict import Finding, Score, Verdict
from faultlab.report.diff import Step, difference
from faultlab.report.matrix import CLEAN
from faultlab.report.words import said, truth


def run_json(run: int, seed: int, cells: Iterable[Cell], groups: Sequence[GroupResult]) -> dict[str, Any]:
    """A run: its cells and groups. `twin` is null where a group has one cell only."""
    alone = {(item.agent, item.scenario, item.contract) for item in groups if len(item.cells) == 1}
    return {
        "run": run,
        "seed": seed,
        "cells": [_cell(cell, (cell.agent, cell.scenario, cell.contract) in alone) for cell in cells],
        "groups": [
            {
                "agent": item.agent, "scenario": item.scenario, "contract": item.contract, "verdict": item.verdict,
            }
            for item in groups
        ],
    }  # fmt: skip


def _cell(cell: Cell, alone: bool) -> dict[str, Any]:
    return {
        "agent": cell.agent,
        "scenario": cell.scenario,
        "contract": cell.contract,
        "twin": None if alone and cell.twin == CLEAN else cell.twin,
        "verdict": cell.verdict,
        "mark": cell.mark,
        "attempts": cell.made,
        "passed": cell.passed,
        "findings": list(cell.codes),
        "scores": scores_json(cell.scores),
    }


def scores_json(scores: Iterable[Score]) -> dict[str, dict[str, int]]:
    """Group of rules -> operations without a finding, and operations by which it was exercised; without an entry
    it was by none."""
    return {score.group: {"clean": score.clean, "exercised": score.exercised} for score in scores}


def selftest_json(
    mutants: Iterable[tuple[str, str, Sequence[str], bool]],
    correct: Iterable[tuple[str, Sequence[str]]],
    ok: bool,
) -> dict[str, Any]:
    """Of each mutant the rule named for it and what caught it; of each correct agent what was found."""
    return {
        "mutants": [
            {"name": name, "expected": expected, "killed_by": list(codes), "killed": killed}
            for name, expected, codes, killed in mutants
        ],
        "correct_agents": [{"name": name, "findings": list(codes)} for name, codes in correct],
        "ok": ok,
    }


def attempt_json(run: int, seed: int, result: Result, history: History, verdict: Verdict) -> dict[str, Any]:
    """An attempt: its address, its verdict, and its history in the format of docs/history.schema.json."""
    return {
        "run": run,
        "number": result.number,
        "agent": result.agent,
        "scenario": result.scenario,
        "contract": result.contract,
        "twin": result.twin,
        "attempt": result.attempt,
        "seed": seed,
        "verdict": verdict.verdict,
        "mark": verdict.mark,
        "excluded_reason": verdict.excluded_reason or None,
        "findings": [finding_json(item) for item in verdict.findings],
        "scores": scores_json(verdict.scores),
        "said": said(history),
        "true": list(truth(history)),
        "history": json.loads(dump(history)),
    }


def finding_json(item: Finding) -> dict[str, Any]:
    """One finding with its evidence."""
    return {
        "code": item.code, "severity": item.severity, "text": item.text, "operation": item.operation or None,
        "calls": list(item.calls), "effects": list(item.effects), "cause": item.cause,
    }  # fmt: skip


def diff_json(left: History, right: History) -> dict[str, Any]:
    """Where two attempts part; `differs_at` counts steps from 1 and is null where the callers saw the same."""
    found = difference(left, right)
    return {
        "equal_steps": len(found.common),
        "differs_at": None if found.equal else len(found.common) + 1,
        "left": [_step(item) for item in found.left],
        "right": [_step(item) for item in found.right],
    }


def _step(step: Step) -> dict[str, Any]:
    return {"t_ns": step.t_ns, "text": step.text}


def replay_json(
    address: str, codes_then: Sequence[str], rejudged: Verdict, again: Verdict, *, same_bytes: bool
) -> dict[str, Any]:
    """A stored attempt judged again and made again."""
    return {
        "attempt": address,
        "codes_then": list(codes_then),
        "judged_again": list(rejudged.codes),
        "made_again": list(again.codes),
        "same_bytes": same_bytes,
    }
