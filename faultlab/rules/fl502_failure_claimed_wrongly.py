"""FL502: failure claimed wrongly."""

from collections.abc import Iterable
from typing import Literal

from faultlab.core.records import Outcome
from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule


def check(evidence: Evidence) -> Iterable[Finding]:
    for wanted in evidence.wanted:
        if wanted.said in ("not_done", "refused") and not evidence.missing(wanted):
            ids = tuple(effect.id for effect in evidence.own_effects(wanted))
            text = f"{wanted.label}: said {wanted.said}, it is in the ledger"
            calls = evidence.numbers(wanted.operation)
            cause: Literal["agent", "server"] = "server" if wanted.knowledge is Outcome.NOT_APPLIED else "agent"
            yield Finding("FL502", "fail", text, wanted.label, calls, ids, cause)


def exercised(evidence: Evidence) -> bool:
    return any(wanted.said in ("not_done", "refused") for wanted in evidence.wanted)


RULE = Rule(
    code="FL502",
    title="failure claimed wrongly",
    group="claims",
    severity="fail",
    harm=True,
    what="The claim says not done or refused, and the effect is there.",
    why="Whoever reads it does it again: the duplicate is only moved to a person.",
    safe_instead=("claim what the receipts prove, and hand over the rest",),
    not_flagged="handing over; a no that the contract promised and the server did not keep",
    source="Jepsen's set checker: recovered, reported failed but present",
    check=check,
    exercised=exercised,
)
