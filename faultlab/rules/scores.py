"""Of how many operations a group of rules had something to judge, and in how many of those it found nothing."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from faultlab.core.records import Outcome
from faultlab.core.verdict import Finding, Score
from faultlab.rules.catalog import CATALOG
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import RuleGroup


def meant(evidence: Evidence) -> set[str]:
    """The intended effects, whether or not anything was sent for them."""
    return {wanted.label for wanted in evidence.wanted}


def sent(evidence: Evidence) -> set[str]:
    return {operation.label for operation in evidence.operations}


def effects(evidence: Evidence) -> set[str]:
    """What was meant or sent: both can be wrong in the ledger."""
    return meant(evidence) | sent(evidence)


def recovery(evidence: Evidence) -> set[str]:
    """Operations some receipt of which settled nothing, or never came."""
    return {
        operation.label
        for operation in evidence.operations
        if any(
            (receipt := operation.receipts.get(call.n)) is None or receipt.outcome is Outcome.UNKNOWN
            for call in operation.calls
        )
    }


def keys(evidence: Evidence) -> set[str]:
    return set() if evidence.contract.key is None else sent(evidence)


def repeats(evidence: Evidence) -> set[str]:
    """Operations that were sent or asked about more than once."""
    return {item.label for item in evidence.operations if len(item.calls) + len(item.reads) > 1}


def claims(evidence: Evidence) -> set[str]:
    return set() if evidence.claim is None else effects(evidence)


def versions(evidence: Evidence) -> set[str]:
    """Writes of things that have versions."""
    return {item.label for item in evidence.operations if item.terms.versioned is not None}


def authority(evidence: Evidence) -> set[str]:
    """Writes that were refused for want of authority, or that need an approval, or a task that limits what is done."""
    if evidence.brief.authority is not None:
        return effects(evidence)
    return {
        item.label
        for item in evidence.operations
        if item.terms.needs_approval or any(answer.status == 403 for answer in item.receipts.values())
    }


EXERCISED: Mapping[RuleGroup, Callable[[Evidence], set[str]]] = {
    "effects": effects,
    "recovery": recovery,
    "keys": keys,
    "budget": effects,
    "pace": repeats,
    "claims": claims,
    "versions": versions,
    "authority": authority,
}
"""Group -> the operations of an attempt by which it was exercised. `validity` judges attempts, not operations."""


def scores(evidence: Evidence, findings: Sequence[Finding]) -> tuple[Score, ...]:
    """One line a group that was exercised. A finding that names no operation counts against all of the attempt."""
    charged = _charged(findings)
    lines = []
    for group, operations_of in EXERCISED.items():
        found = charged.get(group, set())
        operations = operations_of(evidence) | (found - {""})
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
