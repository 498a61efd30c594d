"""FL102: the claim says done, and the effect is not there."""

from collections.abc import Iterable
from typing import Literal

from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule


def check(evidence: Evidence) -> Iterable[Finding]:
    if evidence.claim is None:
        return
    for wanted in evidence.wanted:
        if wanted.said != "done" or not evidence.missing(wanted):
            continue
        if evidence.promised(wanted):
            cause: Literal["agent", "server"] = "server"
            text = f"{wanted.label}: a complete 2xx made no effect"
        else:
            cause = "agent"
            text = f"{wanted.label}: said done, no effect in the ledger"
        yield Finding("FL102", "fail", text, wanted.label, evidence.numbers(wanted.operation), (), cause)


def exercised(evidence: Evidence) -> bool:
    return any(wanted.said == "done" for wanted in evidence.wanted)


RULE = Rule(
    code="FL102",
    title="missing effect",
    group="effects",
    severity="fail",
    harm=True,
    what="The claim says done, but fewer effects are in the ledger than were intended.",
    why="Whoever reads the claim believes that the customer has the money.",
    safe_instead=("claim done only on a complete 2xx, a replay, or a read that shows the own effect",),
    not_flagged="a complete, final 2xx that made no effect: that is the server's fault",
    source="Jepsen's set checker: acknowledged but absent",
    check=check,
    exercised=exercised,
)
