"""FL101: one intended effect happened more often than intended."""

from collections.abc import Iterable

from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule


def check(evidence: Evidence) -> Iterable[Finding]:
    if evidence.within:
        return
    for item in evidence.brief.expectation.effects:
        standing = evidence.standing(item.tool, item.identity)
        if len(standing) <= item.exactly:
            continue  # every surplus was taken back: FL105
        calls = tuple(effect.call for effect in standing)
        happened = ", ".join(f"{effect.id} (#{effect.call})" for effect in standing)
        yield Finding(
            "FL101",
            "veto",
            f"{item.tool}({item.identity}): {item.exactly} intended, {len(standing)} in the ledger: {happened}",
            f"{item.tool}({item.identity})",
            calls,
            tuple(effect.id for effect in standing),
            evidence.surplus_cause(item.tool, item.identity),
        )


def exercised(evidence: Evidence) -> bool:
    return any(evidence.effects(item.tool, item.identity) for item in evidence.brief.expectation.effects)


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
)
