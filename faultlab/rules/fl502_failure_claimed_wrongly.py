"""FL502: failure claimed wrongly."""

from collections.abc import Iterable
from typing import Literal

from faultlab.core.records import Outcome
from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.goal import Goal
from faultlab.rules.rule import Rule


def check(evidence: Evidence) -> Iterable[Finding]:
    if evidence.all_done:
        return ()
    return [
        item
        for goal in evidence.goals
        if goal.denied and goal.stands > goal.exactly - goal.denied
        for item in report(goal)
    ]


def report(goal: Goal) -> Iterable[Finding]:
    """As many as are there beyond those not denied; of several equal ones those with an effect of their own first."""
    denied = [wanted for wanted in goal.wanted if wanted.said in ("not_done", "refused")]
    denied = sorted(denied, key=goal.made, reverse=True)
    for wanted in denied[: goal.stands - (goal.exactly - goal.denied)]:
        text = f"{wanted.label}: said {wanted.said}, it is in the ledger"
        effects = tuple(effect.id for effect in goal.effects if goal.exactly == 1 or effect.call in wanted.calls)
        cause: Literal["agent", "server"] = "server" if wanted.knowledge is Outcome.NOT_APPLIED else "agent"
        yield Finding("FL502", "fail", text, wanted.label, wanted.calls, effects, cause)


def exercised(evidence: Evidence) -> bool:
    return any(goal.denied for goal in evidence.goals)


RULE = Rule(
    code="FL502",
    title="failure claimed wrongly",
    group="claims",
    severity="fail",
    harm=True,
    what="The claim says not done or refused, and the effect is there.",
    why="Whoever reads it does it again: the duplicate is only moved to a person.",
    safe_instead=("claim what the receipts prove, and hand over the rest",),
    not_flagged="handing over; a refusal or conclusive read that the server itself broke",
    source="Jepsen's set checker: recovered, reported failed but present",
    check=check,
    exercised=exercised,
    given="qualified",
)
