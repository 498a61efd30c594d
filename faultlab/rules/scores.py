"""Of how many operations a group of rules had something to judge, and in how many of those it found nothing."""

from collections.abc import Iterable, Mapping, Sequence

from faultlab.core.operation import Operation
from faultlab.core.records import Outcome
from faultlab.core.verdict import Finding, Score
from faultlab.rules.catalog import CATALOG
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import RuleGroup

SCORED: tuple[RuleGroup, ...] = (
    "effects",
    "recovery",
    "keys",
    "budget",
    "pace",
    "claims",
    "versions",
    "authority",
)
"""`validity` judges attempts, not operations."""

_NONE: frozenset[str] = frozenset()


def exercised(evidence: Evidence) -> Mapping[RuleGroup, set[str] | frozenset[str]]:
    """Group -> the operations of an attempt by which it was exercised."""
    sent = {name for name, _ in evidence.known}
    every = sent.union([wanted.label for wanted in evidence.wanted])
    """What was meant or sent: both can be wrong in the ledger."""
    recovery, pace, versions, authority = set[str](), set[str](), set[str](), set[str]()
    for operation, (name, _) in zip(evidence.operations, evidence.known, strict=True):
        if not settled(operation):
            recovery.add(name)
        if len(operation.calls) + len(operation.reads) > 1:
            pace.add(name)
        if operation.terms.versioned is not None:
            versions.add(name)
        if operation.terms.needs_approval or (evidence.troubled and forbidden(operation)):
            authority.add(name)
    return {
        "effects": every,
        "recovery": recovery,
        "keys": _NONE if evidence.contract.key is None else sent,
        "budget": every,
        "pace": pace,
        "claims": _NONE if evidence.claim is None else every,
        "versions": versions,
        "authority": authority if evidence.brief.authority is None else every,
    }


def settled(operation: Operation) -> bool:
    """Each of its calls has a receipt that tells what became of it."""
    receipts = operation.receipts
    for call in operation.calls:
        receipt = receipts.get(call.n)
        if receipt is None or receipt.outcome is Outcome.UNKNOWN:
            return False
    return True


def forbidden(operation: Operation) -> bool:
    """It was refused for want of authority."""
    return any(answer.status == 403 for answer in operation.receipts.values())


def scores(evidence: Evidence, findings: Sequence[Finding]) -> tuple[Score, ...]:
    """One line a group that was exercised. A finding that names no operation counts against all of the attempt."""
    groups = exercised(evidence)
    if not findings:
        return tuple([Score(group, len(names), len(names)) for group, names in groups.items() if names])
    charged = _charged(findings)
    lines = []
    for group in SCORED:
        found = charged.get(group, _NONE)
        operations = groups[group] | (found - {""})
        if "" in found and not operations:
            operations = {""}
        if operations:
            without = 0 if "" in found else len(operations - found)
            lines.append(Score(group, without, len(operations)))
    return tuple(lines)


def _charged(findings: Iterable[Finding]) -> dict[str, set[str]]:
    """Group -> the operations that the agent answers for with something worse than a note."""
    charged: dict[str, set[str]] = {}
    for item in findings:
        if item.severity != "note" and item.cause == "agent":
            charged.setdefault(CATALOG[item.code].group, set()).add(item.operation)
    return charged
