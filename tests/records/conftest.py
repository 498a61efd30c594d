"""Rows for the tests of the store."""

from collections.abc import Callable
from typing import Any

import pytest

from faultlab.records.port import RunStore
from faultlab.records.rows import AttemptRow, attempt_id, encode


@pytest.fixture
def new_run() -> Callable[..., int]:
    """Opens a run in a store."""
    return _new_run


@pytest.fixture
def row() -> Callable[..., AttemptRow]:
    """Makes an attempt of (run, number), with `changes` by name."""
    return _row


def _new_run(store: RunStore, seed: int = 7) -> int:
    return store.new_run(
        seed=seed,
        argv=["run", "careful"],
        version="0.1.0",
        agents=["careful"],
        scenarios=["lost-receipt"],
        protocol={"k": 5, "clock": "virtual"},
    )


def _row(run: int, number: int, **changes: Any) -> AttemptRow:
    whole = AttemptRow(
        task_id="lost-receipt",
        attempt_id=attempt_id(run, number),
        request_id=f"q{number}",
        config_ref="careful/strict/0.1.0",
        input_sha256="a" * 64,
        initial_state_ref="b" * 16,
        grader_ref="rules-1",
        started_at=1_800_000_000.25,
        ended_at=1_800_000_001.5,
        verdict="fail",
        failed_checks=encode(["FL101", "FL201"]),
        artifact_ref=None,
        trace_ref=attempt_id(run, number),
        tool_retries=1,
        human_help=0,
        elapsed_seconds=5.52,
        cost=3.0,
        currency="units",
        dependency_error=None,
        excluded_reason=None,
        rerun_of=None,
        run=run,
        number=number,
        agent="careful",
        scenario="lost-receipt",
        contract="strict",
        twin="committed",
        attempt_index=1,
        attempt_seed=2**63 - 1,
        mark="harm",
        findings=encode([["FL101", "veto", [2, 3], "refund_order(A17): 1 intended, 2 in the ledger"]]),
        plan_id="p1",
        plan=encode([{"tool": "refund_order", "occurrence": 1, "phase": "after", "symptom": "timeout"}]),
        fired=encode([[2, "lost_receipt", "after", "timeout"]]),
        calls=encode([[2, "refund_order", "unknown", "refund_order(A17)", "k1", None, None]]),
        effects=encode(["e1", "e2"]),
        queries_before_resend=0,
        knowledge_at_claim=encode({"refund_order(A17)": "applied"}),
        budget_left=encode({"calls": 5, "seconds": 294.48, "cost": 7}),
        surplus_cause="agent",
        outcome_truth=encode({"refund_order(A17)": "applied"}),
        outcome_claimed=encode({"refund_order(A17)": "done"}),
        trace_digest="c" * 16,
        scores="{}",
        history='{"kind":"call","n":1}\n{"kind":"claim","text":"Zurückerstattet ✓"}',
    )
    return whole._replace(**changes)
