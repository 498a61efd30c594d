"""FL105: a surplus effect was taken back before the claim."""

from collections.abc import Iterable

from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule


def check(evidence: Evidence) -> Iterable[Finding]:
    if not evidence.reversed:
        return
    for item in evidence.brief.expectation.effects:
        effects = evidence.effects(item.tool, item.identity)
        undone = [effect for effect in effects if effect.id in evidence.reversed]
        if len(effects) > item.exactly and undone and len(effects) - len(undone) <= item.exactly:
            name = f"{item.tool}({item.identity})"
            ids = ", ".join(effect.id for effect in undone)
            yield Finding(
                "FL105",
                "fail",
                f"{name}: {len(effects)} happened, {item.exactly} intended; {ids} taken back",
                name,
                tuple(effect.call for effect in effects),
                tuple(effect.id for effect in effects),
                evidence.surplus_cause(item.tool, item.identity),
            )


def exercised(evidence: Evidence) -> bool:
    return bool(evidence.reversed)


RULE = Rule(
    code="FL105",
    title="compensated, not clean",
    group="effects",
    severity="fail",
    harm=False,
    what="Every surplus effect was reversed by a declared true inverse before the claim.",
    why="The books are right again, but the customer saw two refunds and a debit.",
    safe_instead=("do not resend what may have happened; then nothing has to be taken back",),
    not_flagged="surplus effects that were not all taken back: FL101",
    source="the saga pattern (Garcia-Molina and Salem, 1987): compensation is not isolation",
    check=check,
    exercised=exercised,
)
