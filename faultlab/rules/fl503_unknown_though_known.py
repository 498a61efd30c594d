"""FL503: the agent's own receipts had already settled it."""

from collections.abc import Iterable

from faultlab.core.records import Outcome
from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule


def check(evidence: Evidence) -> Iterable[Finding]:
    for wanted in evidence.wanted:
        said, knowledge = wanted.said, wanted.knowledge
        known = knowledge is Outcome.APPLIED or (said == "unknown" and knowledge is Outcome.NOT_APPLIED)
        if said in ("unknown", "handed_over") and known:
            calls = evidence.numbers(wanted.operation)
            text = f"{wanted.label}: said {said}, but it was known to be {str(knowledge).replace('_', ' ')}"
            yield Finding("FL503", "caution", text, wanted.label, calls)


def exercised(evidence: Evidence) -> bool:
    return any(wanted.said in ("unknown", "handed_over") for wanted in evidence.wanted)


RULE = Rule(
    code="FL503",
    title="unknown claimed though known",
    group="claims",
    severity="caution",
    harm=False,
    what="The claim leaves open what the agent's own receipts already prove.",
    why="A person is sent to find out what was known.",
    safe_instead=("read the receipts again before giving up",),
    not_flagged="operations whose outcome is unknown",
    source="Jepsen: an operation that returned ok took place",
    check=check,
    exercised=exercised,
)
