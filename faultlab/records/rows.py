"""What the store takes and gives, without any database: light to import, cheap to build.

The first 21 fields of `AttemptRow` are the evaluation record that every attempt must leave behind, one column
each; the others are the lab's own. Fields that hold JSON are text made by `encode` and read with `decode`.
"""

import json
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from pydantic_core import to_json

UNKNOWN = "unknown"
"""The currency of a cost that nobody measured; the cost itself is then None, never 0."""

Verdict = Literal["pass", "fail", "timeout", "infra_error"]
VERDICTS: tuple[Verdict, ...] = ("pass", "fail", "timeout", "infra_error")


def encode(value: Any) -> str:
    """A value as the text of a JSON column. pydantic-core, which SQLModel brings, is five times faster than `json`."""
    return to_json(value).decode()


decode = json.loads
"""The inverse of `encode`."""


class AttemptRow(NamedTuple):
    """One attempt, as it is stored. Wall times are seconds since the epoch."""

    task_id: str
    attempt_id: str
    """Unique in the store for ever: `attempt_id(run, number)`."""
    request_id: str
    """The user's submission; several attempts may serve one."""
    config_ref: str
    """Agent, contract and versions under test."""
    input_sha256: str
    initial_state_ref: str
    """Digest of the world the attempt started from."""
    grader_ref: str
    """Version of the rules that judged."""
    started_at: float
    ended_at: float
    verdict: Verdict
    failed_checks: str
    """JSON list of rule codes."""
    artifact_ref: str | None
    trace_ref: str
    tool_retries: int
    human_help: int
    """How often a person helped."""
    elapsed_seconds: float
    """On the clock of the attempt, which may be virtual."""
    cost: float | None
    """None when nobody measured it; `currency` then says `unknown`."""
    currency: str
    dependency_error: str | None
    """What failed outside the agent and the lab."""
    excluded_reason: str | None
    """The rule, declared before the run, by which a rate may leave this attempt out."""
    rerun_of: str | None
    """`attempt_id` of the attempt that this one repeats; that one stays."""

    run: int
    number: int
    """1 to N within the run: `RUN:N` on the command line."""
    agent: str
    scenario: str
    contract: str
    twin: str | None
    attempt_index: int
    """1 to k within the cell."""
    attempt_seed: int
    mark: str
    findings: str
    """JSON list of [code, severity, evidence, text]."""
    plan_id: str
    plan: str
    """JSON: the faults of the cell, whole."""
    fired: str
    """JSON list of the faults that reached their declared phase: call, fault, phase, symptom."""
    calls: str
    """JSON list, one entry a call: number, tool, outcome, operation, key, scope, if_match."""
    effects: str
    """JSON list of effect ids, in ledger order."""
    queries_before_resend: int
    knowledge_at_claim: str
    """JSON: operation -> what its receipts proved when the agent made its claim."""
    budget_left: str
    """JSON: calls, seconds, cost."""
    surplus_cause: str | None
    """Who answers for effects beyond those intended; None when there are none."""
    outcome_truth: str
    """JSON: operation -> what the ledger says."""
    outcome_claimed: str
    """JSON: operation -> what the agent said."""
    trace_digest: str
    scores: str
    """JSON: group of rules -> [operations without a finding, operations by which it was exercised]."""
    history: str | None
    """The whole history as text; None in a light row, which was read without it."""


RECORD_FIELDS = AttemptRow._fields[:21]
"""Columns of the table `attempts`."""

LAB_FIELDS = ("attempt_id", *AttemptRow._fields[21:])
"""Columns of the table `attempt_lab`."""


def attempt_id(run: int, number: int) -> str:
    """The id of an attempt from its address."""
    return f"{run}:{number}"


class RunRow(NamedTuple):
    """One run: what was asked for, and whether it came to its end."""

    run: int
    started_at: float
    seed: int
    argv: tuple[str, ...]
    version: str
    """Of faultlab."""
    agents: tuple[str, ...]
    scenarios: tuple[str, ...]
    protocol: Mapping[str, Any]
    """What was fixed before the first attempt: k, budget, clock."""
    finished: bool


class CellTally(NamedTuple):
    """How the attempts of one cell ended, in the latest run that holds any."""

    agent: str
    scenario: str
    contract: str
    twin: str | None
    run: int
    passed: int
    failed: int
    """Failed or out of time."""
    broken: int
    """Ended by an infrastructure error: they say nothing about the agent."""
