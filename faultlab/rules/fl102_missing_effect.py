"""FL102: the claim says done, and the effect is not there."""

from collections.abc import Iterable

from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.ledger import missing
from faultlab.rules.rule import Rule


def check(evidence: Evidence) -> Iterable[Finding]:
    return report(evidence) if evidence.short else ()


def report(evidence: Evidence) -> Iterable[Finding]:
    for wanted, cause in missing(evidence):
        said = "a complete 2xx made no effect" if cause == "server" else "said done, no effect in the ledger"
        yield Finding("FL102", "fail", f"{wanted.label}: {said}", wanted.label, wanted.calls, (), cause)


def exercised(evidence: Evidence) -> bool:
    return any(goal.done for goal in evidence.goals)


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
    given="short",
)
