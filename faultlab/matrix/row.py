"""A judged attempt as the row that is stored."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from hashlib import sha256
from typing import Any, NamedTuple

from faultlab.core.agent import CALL_COST, HAND_OVER_COST
from faultlab.core.canonical import canonical, digest
from faultlab.core.clock import NS
from faultlab.core.history import Brief, History
from faultlab.core.knowledge import Knowledge
from faultlab.core.records import Call, Claim, Fired, Receipt
from faultlab.core.result import Result
from faultlab.core.trace import dump, shape
from faultlab.core.verdict import Verdict
from faultlab.matrix.scenario import Group
from faultlab.records.rows import AttemptRow, attempt_id, encode

GRADER = "rules-1"
"""Version of the rules that judged; a rule whose meaning changes raises it."""


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
    calls = sum(1 for event in history.events if type(event) is Call)
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
    )


def _hand_over_cost(claim: Claim | None) -> float:
    return HAND_OVER_COST if claim is not None and claim.status == "handed_over" else 0.0


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
    plan = encode([asdict(planned) for planned in group.plan(twin)])
    inputs = canonical([scenario.instruction, scenario.inputs, scenario.user])
    sha256_hex = sha256(inputs.encode()).hexdigest()
    return CellText(plan, digest(plan), sha256_hex, f"{scenario.id}@{sha256_hex[:12]}")


def row_of(
    run: int,
    job: Job,
    group: Group,
    history: History,
    verdict: Verdict,
    result: Result,
    *,
    seed: int,
    started_at: float,
    ended_at: float,
    version: str,
    rerun_of: str | None,
) -> AttemptRow:
    """All 44 fields. No credentials: the store redacts what looks like one."""
    brief, text = history.brief, _cell_text(group, job.twin)
    calls = [event for event in history.events if type(event) is Call]
    account = _account(history)
    claim = history.claim
    retries = sum(
        count - 1
        for count in Counter(
            (call.tool, call.identity, call.key, call.reference) for call in calls if call.kind == "write"
        ).values()
    )
    trace = dump(history)
    return AttemptRow(
        text.task_id,
        attempt_id(run, job.number),
        str(run),
        f"{job.agent}/{group.contract.name}/{version}",
        text.input_sha256,
        group.scenario.world.digest,
        GRADER,
        started_at,
        ended_at,
        verdict.verdict,
        encode(sorted(result.codes)),
        None,
        digest_of(trace),
        retries,
        0,
        result.elapsed_s,
        result.cost,
        "calls",
        None,
        verdict.excluded_reason or None,
        rerun_of,
        run,
        job.number,
        job.agent,
        group.scenario.id,
        group.contract.name,
        job.twin,
        job.attempt,
        seed,
        verdict.mark,
        encode([[item.code, item.severity, [*item.calls, *item.effects], item.text] for item in verdict.findings]),
        text.plan_id,
        text.plan,
        encode(
            [[event.call, event.fault, event.phase, event.symptom] for event in history.events if type(event) is Fired]
        ),
        encode(account.calls),
        encode([effect.id for effect in history.ledger]),
        account.queries_before_resend,
        encode(account.knowledge),
        encode(budget_left(brief, len(calls), result)),
        account.surplus_cause,
        encode(truth(history)),
        encode({} if claim is None else {"": claim.status, **claim.operations}),
        result.shape,
        trace,
    )


def digest_of(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


def budget_left(brief: Brief, calls: int, result: Result) -> Mapping[str, float]:
    budget = brief.budget
    return {
        "calls": budget.calls - calls,
        "seconds": round(budget.seconds - result.elapsed_s, 9),
        "cost": budget.cost - result.cost,
    }


def truth(history: History) -> Mapping[str, int]:
    """Operation -> effects in the ledger."""
    counts = Counter(f"{effect.tool}({effect.identity})" for effect in history.ledger)
    for item in history.brief.expectation.effects:
        counts.setdefault(f"{item.tool}({item.identity})", 0)
    return dict(sorted(counts.items()))


class Account(NamedTuple):
    """What the caller's own view said, folded once more for the record."""

    calls: list[Any]
    knowledge: Mapping[str, str]
    queries_before_resend: int
    surplus_cause: str | None


def _account(history: History) -> Account:
    brief = history.brief
    knowledge = Knowledge(brief.contract.disclosed(), brief.expectation.intended)
    outcomes: dict[int, str] = {}
    calls: list[Call] = []
    for event in history.events:
        knowledge.see(event)
        if type(event) is Call:
            calls.append(event)
        elif type(event) is Receipt:
            outcomes[event.call] = event.outcome
    queries = 0
    for operation in knowledge.operations:
        if len(operation.calls) > 1:
            queries += sum(1 for read in operation.reads if read.call < operation.calls[-1].n)
    wanted = {(item.tool, item.identity): item.exactly for item in brief.expectation.effects}
    counts = Counter((effect.tool, effect.identity) for effect in history.ledger)
    surplus = [key for key, count in counts.items() if count > wanted.get(key, 0)]
    causes = {effect.cause for effect in history.ledger if (effect.tool, effect.identity) in surplus}
    return Account(
        [
            [
                call.n,
                call.tool,
                outcomes.get(call.n, "unknown"),
                call.identity,
                call.key,
                call.scope,
                call.if_match,
            ]
            for call in calls
        ],
        {item.label: item.knowledge or "not_sent" for item in knowledge.operations},
        queries,
        ("agent" if "agent" in causes else min(causes)) if causes else None,
    )
