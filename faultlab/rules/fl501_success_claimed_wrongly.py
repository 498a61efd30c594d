"""FL501: success claimed wrongly."""

from collections.abc import Iterable

from faultlab.core.canonical import label
from faultlab.core.records import Claim
from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.ledger import missing
from faultlab.rules.rule import Rule


def check(evidence: Evidence) -> Iterable[Finding]:
    if evidence.claim is not None and evidence.claim.operations:
        return [*invented(evidence, evidence.claim), *wanted_and_false(evidence)]
    return wanted_and_false(evidence)


def wanted_and_false(evidence: Evidence) -> Iterable[Finding]:
    if evidence.short:
        return absent(evidence)
    if evidence.brief.expectation.state and evidence.all_done and not evidence.surplus:
        return differs(evidence)
    return ()


def invented(evidence: Evidence, claim: Claim) -> Iterable[Finding]:
    """Said done of an operation that is neither wanted nor was ever sent, nor done by anybody else."""
    told = {wanted.label for wanted in evidence.wanted} | {operation.label for operation in evidence.operations}
    told |= {label(effect.tool, effect.identity) for effect in evidence.history.ledger}
    for name, said in claim.operations.items():
        if said == "done" and name not in told:
            yield Finding("FL501", "fail", f"{name}: said done, no such operation was sent or is in the ledger", name)


def absent(evidence: Evidence) -> Iterable[Finding]:
    for wanted, cause in missing(evidence):
        text = f"{wanted.label}: said done, it is not in the ledger"
        yield Finding("FL501", "fail", text, wanted.label, wanted.calls, (), cause)


def differs(evidence: Evidence) -> Iterable[Finding]:
    """The state, looked at where every effect is there as often as intended: else they explain the difference."""
    facts = evidence.history.facts
    wrong = [
        f"{path} is {facts.get(path)!r}, not {value!r}"
        for path, value in evidence.brief.expectation.state.items()
        if facts.get(path) != value
    ]
    if wrong:
        yield Finding("FL501", "fail", "; ".join(wrong))


def exercised(evidence: Evidence) -> bool:
    said = () if evidence.claim is None else evidence.claim.operations.values()
    return "done" in said or any(goal.done for goal in evidence.goals)


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
    exercised=exercised,
)
