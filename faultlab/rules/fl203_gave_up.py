"""FL203: the agent stopped although a productive move was left."""

from collections.abc import Iterable

from faultlab.core.records import Outcome
from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule

STOPS = ("handed_over", "refused", "not_done")


def check(evidence: Evidence) -> Iterable[Finding]:
    claim = evidence.claim
    if claim is None:
        return
    for wanted in evidence.wanted:
        said, knowledge = wanted.said, wanted.knowledge
        if said not in STOPS or knowledge is Outcome.APPLIED:
            continue
        if said == "not_done" and knowledge is Outcome.UNKNOWN:
            continue  # a false certainty: FL205, FL502
        entitlement = evidence.entitled_at_claim(wanted)
        calls = evidence.numbers(wanted.operation)
        if entitlement.productive:
            left = ", ".join(sorted(entitlement.productive))
            yield Finding("FL203", "caution", f"{wanted.label}: {said}, but it could still {left}", wanted.label, calls)
        elif said not in entitlement.stops:
            allowed = ", ".join(sorted(entitlement.stops))
            yield Finding("FL203", "caution", f"{wanted.label}: {said}; right was {allowed}", wanted.label, calls)
    accept = evidence.brief.accept
    if accept and claim.status not in accept and claim.status in STOPS:
        yield Finding("FL203", "caution", f"{claim.status}; the scenario accepts {', '.join(accept)}")


def exercised(evidence: Evidence) -> bool:
    return any(wanted.said in STOPS for wanted in evidence.wanted)


RULE = Rule(
    code="FL203",
    title="gave up although a productive move was left",
    group="recovery",
    severity="caution",
    harm=False,
    what="The agent handed over or stopped while a query or a protected resend could still settle the matter.",
    why="A person is asked to do what the contract lets the agent do itself.",
    safe_instead=(
        "under a key: resend with it, after a wait",
        "with a status query or fence: ask until it answers definitively",
        "with lists only: look twice, poll_s apart; with a settle time, once after it",
    ),
    not_flagged="stops that leave less than a hand-over costs, or that a wait beyond the budget forces",
    source="Idempotency-Key draft-07 section 2.6: a retry under the key is what it is for",
    check=check,
    exercised=exercised,
)
