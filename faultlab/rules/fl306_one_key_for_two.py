"""FL306: one key was used for two operations: two equal effects that are both wanted, or two that differ."""

from collections.abc import Iterable

from faultlab.core.canonical import label
from faultlab.core.contract import KeyRules
from faultlab.core.keys import place_of
from faultlab.core.records import Outcome
from faultlab.core.refusals import KEY_MISMATCH, meaning_of
from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.goal import Goal
from faultlab.rules.rule import Rule


def check(evidence: Evidence) -> Iterable[Finding]:
    if evidence.contract.key is None:
        return ()
    equal = [item for goal in evidence.goals if goal.done > 1 for item in report(evidence, goal)]
    return [*equal, *shared(evidence, evidence.contract.key)]


def shared(evidence: Evidence, rules: KeyRules) -> Iterable[Finding]:
    """A key that was sent with one operation, and then, where it is the same key to the server, with another."""
    bearers: dict[str, tuple[int, set[tuple[str, str]]]] = {}
    for send in evidence.sends:
        call, operation = send.call, (send.call.tool, send.call.identity)
        if call.key is None:
            continue
        place = place_of(rules, call)
        first, meant = bearers.setdefault(place, (call.n, set()))
        if call.n == first:
            meant.add(operation)  # one call for a list means several
        elif operation not in meant and forgotten(evidence, first, call.n):
            bearers[place] = (call.n, {operation})
        elif operation not in meant:
            text = f"{send.operation.label}: #{call.n} bears the key of #{first}, which meant {label(*min(meant))}"
            yield Finding("FL306", "fail", text, send.operation.label, (first, call.n))


def forgotten(evidence: Evidence, first: int, second: int) -> bool:
    """The first call was refused, and the server does not say of the second that it had kept the key: what is
    refused before it is executed leaves it free."""
    refused, again = evidence.receipts.get(first), evidence.receipts.get(second)
    if refused is None or refused.outcome is not Outcome.NOT_APPLIED:
        return False
    return again is None or meaning_of(again.body) != KEY_MISMATCH


def report(evidence: Evidence, goal: Goal) -> Iterable[Finding]:
    sends = [send.call for send in evidence.sends if (send.call.tool, send.call.identity) == (goal.tool, goal.identity)]
    keys = {call.key or call.n for call in sends}
    if goal.done > len(keys) > 0:
        text = f"{goal.label}: {goal.done} claimed done under {len(keys)} key{'s' * (len(keys) > 1)}"
        yield Finding("FL306", "fail", text, goal.label, tuple(call.n for call in sends))


def exercised(evidence: Evidence) -> bool:
    return evidence.contract.key is not None and (
        len(evidence.operations) > 1 or any(goal.exactly > 1 for goal in evidence.goals)
    )


RULE = Rule(
    code="FL306",
    title="one key for two operations",
    group="keys",
    severity="fail",
    harm=False,
    what="More effects were claimed done than keys were used, or a key was sent with another operation as well.",
    why="Two orders are two intents. Under one key the second is refused, or answered with the first.",
    safe_instead=("derive the key from the intent (order line, job id), not from the arguments",),
    not_flagged="a key of two tools or regions where the contract counts it for each; the key of a request that was"
    " refused unexecuted; sends without a key; contracts that do not honour keys",
    source="Amazon Builders' Library: a hash of the parameters is not enough, two equal requests may both be wanted",
    check=check,
    exercised=exercised,
    given="several",
)
