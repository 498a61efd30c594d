"""FL306: two intended effects were sent under one key."""

from collections.abc import Iterable

from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule


def check(evidence: Evidence) -> Iterable[Finding]:
    if not evidence.honours_keys():
        return
    for item in evidence.brief.expectation.effects:
        if item.exactly == 1:
            continue
        claimed = sum(
            wanted.said == "done"
            for wanted in evidence.wanted
            if (wanted.tool, wanted.identity) == (item.tool, item.identity)
        )
        sends = [
            send.call for send in evidence.sends if (send.call.tool, send.call.identity) == (item.tool, item.identity)
        ]
        keys = {call.key or f"no key, #{call.n}" for call in sends}
        if claimed > len(keys) and sends:
            name = f"{item.tool}({item.identity})"
            text = f"{name}: {claimed} claimed done under {len(keys)} key"
            yield Finding("FL306", "fail", text, name, tuple(call.n for call in sends))


def exercised(evidence: Evidence) -> bool:
    return evidence.honours_keys() and any(item.exactly > 1 for item in evidence.brief.expectation.effects)


RULE = Rule(
    code="FL306",
    title="one key for two operations",
    group="keys",
    severity="fail",
    harm=False,
    what="More effects were claimed done than keys were used.",
    why="Two equal orders are two intents. Under one key the second is answered with the first.",
    safe_instead=("derive the key from the intent (order line, job id), not from the arguments",),
    not_flagged="one intended effect; contracts that do not honour keys",
    source="Amazon Builders' Library: a hash of the parameters is not enough, two equal requests may both be wanted",
    check=check,
    exercised=exercised,
)
