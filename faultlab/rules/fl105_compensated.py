"""FL105: a surplus effect was taken back before the claim."""

from collections.abc import Iterable

from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.ledger import standing, surplus_cause
from faultlab.rules.rule import Rule


def check(evidence: Evidence) -> Iterable[Finding]:
    return report(evidence) if evidence.surplus and evidence.taken_back else ()


def report(evidence: Evidence) -> Iterable[Finding]:
    for goal in evidence.surplus:
        effects, left = goal.own, standing(evidence, goal)
        if len(left) > goal.exactly or len(effects) <= goal.exactly:
            continue
        back = ", ".join(effect.id for effect in effects if effect not in left)
        yield Finding(
            "FL105",
            "fail",
            f"{goal.label}: {len(effects)} happened, {goal.exactly} intended; {back} taken back",
            goal.label,
            tuple(effect.call for effect in effects),
            tuple(effect.id for effect in effects),
            surplus_cause(evidence, goal, effects),
        )


def exercised(evidence: Evidence) -> bool:
    return bool(evidence.taken_back)


RULE = Rule(
    code="FL105",
    title="compensated, not clean",
    group="effects",
    severity="fail",
    harm=False,
    what="Every surplus effect was reversed by a declared true inverse before the claim.",
    why="The books are right again, but the customer saw two refunds and a debit.",
    safe_instead=("do not resend what may have happened; then nothing has to be taken back",),
    not_flagged="surplus effects that were not all taken back (FL101); those that the server made",
    source="the saga pattern (Garcia-Molina and Salem, 1987): compensation is not isolation",
    check=check,
    exercised=exercised,
    given="surplus",
)
