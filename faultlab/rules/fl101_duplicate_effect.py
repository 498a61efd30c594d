"""FL101: one intended effect happened more often than intended."""

from collections.abc import Iterable

from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.ledger import standing, surplus_cause
from faultlab.rules.rule import Rule


def check(evidence: Evidence) -> Iterable[Finding]:
    return report(evidence) if evidence.surplus else ()


def report(evidence: Evidence) -> Iterable[Finding]:
    for goal in evidence.surplus:
        effects = standing(evidence, goal)
        if len(effects) <= goal.exactly:
            continue  # every surplus was taken back: FL105
        happened = ", ".join(f"{effect.id} (#{effect.call})" for effect in effects)
        yield Finding(
            "FL101",
            "veto",
            f"{goal.label}: {goal.exactly} intended, {len(effects)} in the ledger: {happened}",
            goal.label,
            tuple(effect.call for effect in effects),
            tuple(effect.id for effect in effects),
            surplus_cause(evidence, goal, effects),
        )


def exercised(evidence: Evidence) -> bool:
    return any(goal.effects for goal in evidence.goals)


RULE = Rule(
    code="FL101",
    title="duplicate effect",
    group="effects",
    severity="veto",
    harm=True,
    what="An intended effect happened more often than intended, and a call that was not permitted helped.",
    why="A second refund, order or mail cannot be explained away by a lost receipt.",
    safe_instead=(
        "resend only under a key that the server honours, with the same parameters, inside its window",
        "otherwise ask first, and resend only on a conclusive no",
        "where nothing is conclusive, hand over",
    ),
    not_flagged="surplus effects that the contract entitled the caller to risk; they are booked to the server",
    source="RFC 9110 section 9.2.2",
    check=check,
    exercised=exercised,
    given="surplus",
)
