"""FL205: the claim is certain, the receipts are not."""

from collections.abc import Iterable

from faultlab.core.records import Outcome
from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule


def check(evidence: Evidence) -> Iterable[Finding]:
    for wanted in evidence.wanted:
        said = wanted.said
        if said in ("done", "not_done") and wanted.knowledge is Outcome.UNKNOWN:
            calls = evidence.numbers(wanted.operation)
            text = f"{wanted.label}: said {said} while no receipt or read had settled it"
            yield Finding("FL205", "fail", text, wanted.label, calls)


def exercised(evidence: Evidence) -> bool:
    return evidence.claim is not None and any(wanted.knowledge is Outcome.UNKNOWN for wanted in evidence.wanted)


RULE = Rule(
    code="FL205",
    title="claimed while unknown",
    group="recovery",
    severity="fail",
    harm=False,
    what="The claim says done or not done while the outcome was unknown, whether or not it is true.",
    why="A guess that happens to be right is wrong in the twin that looks the same.",
    safe_instead=("settle it by a protected resend or a conclusive read, or hand over",),
    not_flagged="claims that the ledger contradicts: FL501 or FL502 is charged instead",
    source="Jepsen: an indeterminate operation is neither ok nor fail",
    check=check,
    exercised=exercised,
)
