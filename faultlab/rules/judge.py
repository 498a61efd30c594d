"""The one door of the room: a history in, a verdict out. Picklable, so worker processes get it as it is."""

from faultlab.core.history import History
from faultlab.core.verdict import Finding, Verdict
from faultlab.rules.catalog import RULES
from faultlab.rules.evidence import Evidence
from faultlab.rules.merge import merge

_CHECKS = tuple((rule.code, rule.check) for rule in RULES)
_PLAIN_CHECKS = tuple((rule.code, rule.check) for rule in RULES if rule.plain)


def judge(history: History) -> Verdict:
    """All rules over one pass of the events. A rule that crashes makes the attempt an infra_error, named."""
    evidence = Evidence(history)
    findings: list[Finding] = []
    for code, check in _PLAIN_CHECKS if evidence.plain else _CHECKS:
        try:
            if found := check(evidence):
                findings.extend(found)
        except Exception as error:  # noqa: BLE001 - a rule's own mistake must not end a run
            return Verdict("infra_error", "inconclusive", tuple(findings), f"rule_crashed: {code}: {error!r}")
    knowledge = tuple((item.label, item.knowledge or "not_sent") for item in evidence.operations)
    queries = sum(
        read.call < item.calls[-1].n for item in evidence.operations if len(item.calls) > 1 for read in item.reads
    )
    return merge(history, findings)._replace(knowledge=knowledge, queries_before_resend=queries)


def exercised(history: History) -> frozenset[str]:
    """The codes of the rules that this history gave something to judge."""
    evidence = Evidence(history)
    return frozenset(rule.code for rule in RULES if rule.exercised(evidence))
