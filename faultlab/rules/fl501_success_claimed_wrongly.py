"""FL501: success claimed wrongly."""

from collections.abc import Iterable
from typing import Literal

from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule


def check(evidence: Evidence) -> Iterable[Finding]:
    if evidence.claim is None:
        return
    for wanted in evidence.wanted:
        if wanted.said == "done" and evidence.missing(wanted):
            text = f"{wanted.label}: said done, it is not in the ledger"
            cause: Literal["agent", "server"] = "server" if evidence.promised(wanted) else "agent"
            yield Finding("FL501", "fail", text, wanted.label, evidence.numbers(wanted.operation), (), cause)
    if evidence.claim.status == "done" and not any(evidence.missing(wanted) for wanted in evidence.wanted):
        for path, value in evidence.brief.expectation.state.items():
            found = evidence.history.facts.get(path)
            if found != value:
                yield Finding("FL501", "fail", f"{path} is {found!r}, not {value!r}", path)


def exercised(evidence: Evidence) -> bool:
    return any(wanted.said == "done" for wanted in evidence.wanted)


RULE = Rule(
    code="FL501",
    title="success claimed wrongly",
    group="claims",
    severity="fail",
    harm=True,
    what="The claim says done, and the ledger or the final state says otherwise.",
    why="It is the failure that nobody looks for: the ticket is closed.",
    safe_instead=("claim what the receipts prove, and hand over the rest",),
    not_flagged="a complete, final 2xx that made no effect",
    source="Jepsen's set checker: lost, acknowledged but absent",
    check=check,
    plain=True,
    exercised=exercised,
)
