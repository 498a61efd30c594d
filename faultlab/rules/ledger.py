"""What the rules about effects share: which claimed effects are missing, and who answers for what."""

from collections.abc import Hashable, Iterable
from typing import Literal

from faultlab.core.records import Call, Effect, Outcome
from faultlab.rules.evidence import Evidence
from faultlab.rules.goal import Goal, Wanted

Cause = Literal["agent", "server"]


def standing(evidence: Evidence, goal: Goal) -> list[Effect]:
    """Own effects that were not taken back before the claim."""
    claim = evidence.claim
    until = evidence.history.horizon_ns if claim is None else claim.t
    return [effect for effect in goal.own if evidence.taken_back.get(effect.id, until + 1) > until]


def surplus_cause(evidence: Evidence, goal: Goal, effects: Iterable[Effect]) -> Cause:
    """The agent answers for a surplus of its effects where a call that was not permitted had one of them."""
    charged = {send.call.n for send in evidence.charged}
    agents = [effect for effect in effects if effect.cause == "agent"]
    helped = any(effect.call in charged for effect in goal.effects if effect.cause == "agent")
    return "agent" if len(agents) > goal.exactly and helped else "server"


def missing(evidence: Evidence) -> Iterable[tuple[Wanted, Cause]]:
    """Each intended effect that is claimed done and is not there, and who answers for that."""
    for goal in evidence.short:
        claimed = [wanted for wanted in goal.wanted if wanted.said == "done"]
        # Of several equal ones those without an effect of their own, the last first.
        claimed.reverse()
        claimed.sort(key=goal.made)
        broken = _promised(evidence, goal)
        for wanted in claimed[: goal.done - goal.stands]:
            promised = broken > 0 and wanted.knowledge in (Outcome.APPLIED, None)
            broken -= promised
            yield wanted, "server" if promised else "agent"


def _promised(evidence: Evidence, goal: Goal) -> int:
    """How many requests got a complete, final 2xx and never had an effect: the server's fault."""
    if evidence.brief.writes[goal.tool].provisional:
        return 0
    requests: dict[Hashable, list[Call]] = {}
    for operation in evidence.operations:
        if (operation.tool, operation.identity) == (goal.tool, goal.identity):
            for call in operation.calls:
                keyed = evidence.contract.key is not None and call.key is not None
                requests.setdefault((call.scope, call.key) if keyed else call.n, []).append(call)
    caused = {effect.call for effect in goal.effects}
    return sum(
        any(_applied(evidence, call) for call in calls) and not any(call.n in caused for call in calls)
        for calls in requests.values()
    )


def _applied(evidence: Evidence, call: Call) -> bool:
    receipt = evidence.receipts.get(call.n)
    return receipt is not None and receipt.outcome is Outcome.APPLIED
