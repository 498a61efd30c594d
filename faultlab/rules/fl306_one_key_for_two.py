"""FL306: two intended effects were sent under one key."""

from collections.abc import Iterable

from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.goal import Goal
from faultlab.rules.rule import Rule


def check(evidence: Evidence) -> Iterable[Finding]:
    if evidence.contract.key is None or len(evidence.wanted) == len(evidence.goals):
        return ()
    return [item for goal in evidence.goals if goal.done > 1 for item in report(evidence, goal)]


def report(evidence: Evidence, goal: Goal) -> Iterable[Finding]:
    sends = [send.call for send in evidence.sends if (send.call.tool, send.call.identity) == (goal.tool, goal.identity)]
    keys = {call.key or call.n for call in sends}
    if goal.done > len(keys) > 0:
        text = f"{goal.label}: {goal.done} claimed done under {len(keys)} key{'s' * (len(keys) > 1)}"
        yield Finding("FL306", "fail", text, goal.label, tuple(call.n for call in sends))


def exercised(evidence: Evidence) -> bool:
    return evidence.contract.key is not None and any(goal.exactly > 1 for goal in evidence.goals)


RULE = Rule(
    code="FL306",
    title="one key for two operations",
    group="keys",
    severity="fail",
    harm=False,
    what="More effects were claimed done than keys were used.",
    why="Two equal orders are two intents. Under one key the second is answered with the first.",
    safe_instead=("derive the key from the intent (order line, job id), not from the arguments",),
    not_flagged="one intended effect; sends without a key; contracts that do not honour keys",
    source="Amazon Builders' Library: a hash of the parameters is not enough, two equal requests may both be wanted",
    check=check,
    exercised=exercised,
)
