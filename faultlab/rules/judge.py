"""The one door of the room: a history in, a verdict out. Picklable, so worker processes get it as it is."""

from collections.abc import Container
from operator import attrgetter

from faultlab.core.history import History
from faultlab.core.verdict import Finding, Verdict
from faultlab.rules.catalog import RULES
from faultlab.rules.evidence import Evidence
from faultlab.rules.merge import merge
from faultlab.rules.scores import scores

FACTS = tuple(dict.fromkeys(rule.given for rule in RULES))
_facts = attrgetter(*FACTS)
_CHECKS = tuple(tuple((rule.code, rule.check) for rule in RULES if rule.given == fact) for fact in FACTS)
"""The rules that each fact calls for, in the order of FACTS."""


def judge(history: History, accepted: Container[str] = ()) -> Verdict:
    """All rules that the facts call for, over one pass of the events; findings of the codes `accepted` are notes.

    A rule that crashes makes the attempt an infra_error, and is named.
    """
    findings: list[Finding] = []
    code = "evidence"
    try:
        evidence = Evidence(history)
        for fact, checks in zip(_facts(evidence), _CHECKS, strict=True):
            if fact:
                for code, check in checks:  # noqa: B007 - read when a rule crashes
                    if found := check(evidence):
                        findings.extend(found)
    except Exception as error:  # noqa: BLE001 - a rule's own mistake must not end a run
        return Verdict("infra_error", "inconclusive", tuple(findings), f"rule_crashed: {code}: {error!r}")
    queries = 0
    for item in evidence.operations:
        if len(item.calls) > 1:
            queries += sum(read.call < item.calls[-1].n for read in item.reads)
    if accepted:
        findings = [_as_note(item) if item.code in accepted else item for item in findings]
    verdict = merge(history, findings, tuple(evidence.known), queries)
    return verdict._replace(scores=scores(evidence, verdict.findings))


def _as_note(finding: Finding) -> Finding:
    """A veto is never accepted."""
    return finding if finding.severity == "veto" else finding._replace(severity="note")


def exercised(history: History) -> frozenset[str]:
    """The codes of the rules that this history gave something to judge."""
    evidence = Evidence(history)
    return frozenset(rule.code for rule in RULES if rule.exercised(evidence))
