"""A judged attempt as the row that is stored."""

from collections.abc import Mapping
from dataclasses import asdict
from functools import cache, lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

from faultlab.core.agent import CALL_COST, HAND_OVER_COST
from faultlab.core.canonical import canonical, digest
from faultlab.core.clock import NS
from faultlab.core.history import Brief, History
from faultlab.core.records import Call, Claim, Fired, Receipt
from faultlab.core.result import Result
from faultlab.core.trace import dump, shape
from faultlab.core.verdict import Score, Verdict
from faultlab.matrix.scenario import Group
from faultlab.records.rows import AttemptRow, attempt_id, encode

GRADER = "rules-3"
"""Version of the rules that judged; a rule whose meaning changes raises it."""


NO_ITEMS = "[]"
"""What most attempts store as findings and fired faults."""


class Job(NamedTuple):
    """One attempt to make: its number in the run, and its cell."""

    number: int
    agent: str
    group: int
    twin: str
    attempt: int
    """1 to k within the cell."""


class Place(NamedTuple):
    """Where a group stands: its suite, scenario and contract, by name."""

    suite: str
    scenario: str
    contract: str

    @staticmethod
    def of(group: Group) -> "Place":
        return Place(group.scenario.suite, group.scenario.id, group.contract.name)


def result_of(job: Job, place: Place, history: History, verdict: Verdict) -> Result:
    """The light record of an attempt."""
    calls = sum(1 for event in history.events if type(event) is Call and event.n > 0)
    claim = history.claim
    return Result(
        job.number,
        job.agent,
        *place,
        job.twin,
        job.attempt,
        verdict.verdict,
        verdict.mark,
        verdict.findings,
        history.end,
        history.error,
        verdict.excluded_reason,
        shape(history),
        calls,
        calls * CALL_COST + _hand_over_cost(claim),
        _elapsed_s(history),
        verdict.scores,
    )


def _hand_over_cost(claim: Claim | None) -> float:
    return HAND_OVER_COST if claim is not None and claim.hands_over else 0.0


def _elapsed_s(history: History) -> float:
    return history.events[-1].t / NS if history.events else 0.0


class CellText(NamedTuple):
    """What all attempts of a cell store alike."""

    plan: str
    plan_id: str
    input_sha256: str
    task_id: str


@cache
def _cell_text(group: Group, twin: str) -> CellText:
    scenario = group.scenario
    plan = encode([*map(asdict, group.plan(twin)), *map(asdict, group.prior(twin))])
    inputs = canonical([scenario.instruction, scenario.inputs, scenario.user])
    sha256_hex = sha256(inputs.encode()).hexdigest()
    return CellText(plan, digest(plan), sha256_hex, f"{scenario.id}@{sha256_hex[:12]}")


class Made(NamedTuple):
    """One attempt with all that its row is made of."""

    run: int
    job: Job
    group: Group
    history: History
    verdict: Verdict
    result: Result
    seed: int
    started_at: float
    ended_at: float
    version: str


def row_of(made: Made) -> AttemptRow:
    """All 44 fields. No credentials: the store redacts what looks like one."""
    run, job, group, history, verdict, result, seed, started_at, ended_at, version = made
    text, claim, trace = _cell_text(group, job.twin), history.claim, dump(history, encode)
    seen = _seen(history)
    return AttemptRow(
        task_id=text.task_id,
        attempt_id=attempt_id(run, job.number),
        request_id=str(run),
        config_ref=f"{job.agent}/{group.contract.name}/{version}",
        input_sha256=text.input_sha256,
        initial_state_ref=group.world(job.twin).digest,
        grader_ref=GRADER,
        started_at=started_at,
        ended_at=ended_at,
        verdict=verdict.verdict,
        failed_checks=encode(sorted(result.codes)) if verdict.findings else NO_ITEMS,
        artifact_ref=None,
        trace_ref=digest_of(trace),
        tool_retries=seen.retries,
        human_help=0,
        elapsed_seconds=result.elapsed_s,
        cost=result.cost,
        currency="calls",
        dependency_error=None,
        excluded_reason=verdict.excluded_reason or None,
        rerun_of=None,
        run=run,
        number=job.number,
        agent=job.agent,
        scenario=group.scenario.id,
        contract=group.contract.name,
        twin=job.twin,
        attempt_index=job.attempt,
        attempt_seed=seed,
        mark=verdict.mark,
        findings=_findings(verdict) if verdict.findings else NO_ITEMS,
        plan_id=text.plan_id,
        plan=text.plan,
        fired=encode(seen.fired) if seen.fired else NO_ITEMS,
        calls=encode(seen.calls),
        effects=encode([effect.id for effect in history.ledger]),
        queries_before_resend=verdict.queries_before_resend,
        knowledge_at_claim=_members(verdict.knowledge),
        budget_left=encode(budget_left(history.brief, result)),
        surplus_cause=surplus_cause(history),
        outcome_truth=encode(truth(history)),
        outcome_claimed=encode({} if claim is None else {"": claim.status, **claim.operations}),
        trace_digest=result.shape,
        scores=_scores(verdict.scores),
        history=trace,
    )


def _findings(verdict: Verdict) -> str:
    return encode([[item.code, item.severity, [*item.calls, *item.effects], item.text] for item in verdict.findings])


@lru_cache(maxsize=4096)
def _members(pairs: tuple[tuple[str, str], ...]) -> str:
    """Labels and what is known of them: the attempts of a cell have few different ones, whatever their seeds."""
    return encode(dict(pairs))


@lru_cache(maxsize=4096)
def _scores(scores: tuple[Score, ...]) -> str:
    """As for `_members`."""
    return encode({score.group: [score.clean, score.exercised] for score in scores})


class Seen(NamedTuple):
    """What one pass over the events gathers for the row."""

    calls: list[list[Any]]
    fired: list[list[Any]]
    retries: int
    """Writes of an operation after its first."""


def _seen(history: History) -> Seen:
    calls: dict[int, list[Any]] = {}
    fired: list[list[Any]] = []
    written: set[tuple[str, str, str | None]] = set()
    writes = 0
    for event in history.events:
        if type(event) is Call:
            calls[event.n] = [
                event.n, event.tool, "unknown", event.identity, event.key, event.scope, event.if_match
            ]  # fmt: skip
            if event.kind == "write":
                writes += 1
                written.add((event.tool, event.identity, event.reference))
        elif type(event) is Receipt:
            calls[event.call][2] = event.outcome._value_  # a plain str: an encoder need not look behind it
        elif type(event) is Fired:
            fired.append([event.call, event.fault, event.phase, event.symptom])
    return Seen(list(calls.values()), fired, writes - len(written))


def digest_of(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


def budget_left(brief: Brief, result: Result) -> Mapping[str, float]:
    budget = brief.budget
    return {
        "calls": budget.calls - result.calls,
        "seconds": round(budget.seconds - result.elapsed_s, 9),
        "cost": budget.cost - result.cost,
    }


def truth(history: History) -> Mapping[str, int]:
    """Operation -> effects in the ledger."""
    counts = {f"{item.tool}({item.identity})": 0 for item in history.brief.expectation.effects}
    for effect in history.ledger:
        name = f"{effect.tool}({effect.identity})"
        counts[name] = counts.get(name, 0) + 1
    return dict(sorted(counts.items()))


def surplus_cause(history: History) -> str | None:
    """Who answers for effects beyond those intended; None when there are none."""
    if not history.ledger:
        return None
    left = {(item.tool, item.identity): item.exactly for item in history.brief.expectation.effects}
    causes = set()
    for effect in history.ledger:
        key = (effect.tool, effect.identity)
        left[key] = left.get(key, 0) - 1
        if left[key] < 0:
            causes.add(effect.cause)
    return ("agent" if "agent" in causes else min(causes)) if causes else None
