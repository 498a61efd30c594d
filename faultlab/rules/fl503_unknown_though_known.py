"""FL503: the agent's own receipts had already settled it."""

from collections.abc import Iterable

from faultlab.core.records import Outcome
from faultlab.core.refused import refused_for_good
from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.goal import Wanted
from faultlab.rules.rule import Rule


def check(evidence: Evidence) -> Iterable[Finding]:
    if evidence.all_done:
        return ()
    return [
        Finding(
            "FL503",
            "caution",
            f"{wanted.label}: said {wanted.said}, but it was known to be {str(wanted.knowledge).replace('_', ' ')}",
            wanted.label,
            wanted.calls,
        )
        for wanted in evidence.wanted
        if wanted.said in ("unknown", "handed_over") and known(evidence, wanted)
    ]


def known(evidence: Evidence, wanted: Wanted) -> bool:
    """Applied; or, where the claim is `unknown`, refused for good."""
    if wanted.knowledge is Outcome.NOT_APPLIED and wanted.said == "unknown":
        assert wanted.operation is not None
        return refused_for_good(wanted.operation, evidence.contract) is not None
    if wanted.operation is not None and evidence.forgotten(wanted.operation):
        return False  # the agent that claims was not there when it was learnt
    return wanted.knowledge is Outcome.APPLIED


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
    given="qualified",
)
