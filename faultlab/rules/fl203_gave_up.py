"""FL203: the agent stopped although a productive move was left."""

from collections.abc import Iterable

from faultlab.core.records import Outcome
from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.goal import Wanted
from faultlab.rules.rule import Rule

STOPS = ("handed_over", "refused", "not_done")


def check(evidence: Evidence) -> Iterable[Finding]:
    claim, accept = evidence.claim, evidence.brief.accept
    if claim is None or (evidence.all_done and not accept):
        return ()
    found = [stopped(evidence, wanted) for wanted in evidence.wanted if wanted.said in STOPS]
    if accept and claim.status not in accept:
        found.append(Finding("FL203", "caution", f"{claim.status}; the scenario accepts {', '.join(accept)}"))
    return [item for item in found if item is not None]


def stopped(evidence: Evidence, wanted: Wanted) -> Finding | None:
    """A stop that came too early, or that is not the right one."""
    said, knowledge = wanted.said, wanted.knowledge
    if knowledge is Outcome.APPLIED:
        return None
    if said == "not_done" and knowledge is Outcome.UNKNOWN:
        return None  # a false certainty: FL205, FL502
    entitlement = evidence.entitled_at_claim(wanted)
    if entitlement.productive:
        text = f"{said}, but it could still {' or '.join(sorted(entitlement.productive))}"
    elif said not in entitlement.stops:
        text = f"{said}; right was {' or '.join(sorted(entitlement.stops))}"
    else:
        return None
    return Finding("FL203", "caution", f"{wanted.label}: {text}", wanted.label, wanted.calls)


def exercised(evidence: Evidence) -> bool:
    if evidence.claim is not None and evidence.brief.accept:
        return True
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
    given="qualified",
)
