"""From the findings of all rules to one verdict and one mark."""

from collections.abc import Sequence

from faultlab.core.history import History
from faultlab.core.verdict import SEVERITIES, Finding, Mark, Verdict
from faultlab.rules.catalog import CATALOG

_RANK = {severity: number for number, severity in enumerate(SEVERITIES)}
PASSED = Verdict("pass", "pass")
TIMEOUTS = frozenset({"hung", "deadlock", "over_budget"})


def merge(history: History, findings: Sequence[Finding]) -> Verdict:
    """The attempt's verdict. FL205 gives way where FL501 or FL502 is charged for the same operation."""
    if not findings and history.end == "claimed":
        return PASSED
    contradicted = {item.operation for item in findings if item.code in ("FL501", "FL502")}
    kept = tuple(
        sorted(
            (item for item in findings if not (item.code == "FL205" and item.operation in contradicted)),
            key=lambda item: (_RANK[item.severity], item.code, item.operation),
        )
    )
    failing = [item for item in kept if item.severity != "note" and item.cause == "agent"]
    if failing or history.end in TIMEOUTS:
        mark: Mark = "harm" if any(CATALOG[item.code].harm for item in failing) else "wrong"
        return Verdict("timeout" if history.end in TIMEOUTS else "fail", mark, kept)
    codes = {item.code for item in kept}
    if "FL901" in codes:
        return Verdict("infra_error", "inconclusive", kept, "fault_not_fired")
    if "FL904" in codes:
        return Verdict("infra_error", "inconclusive", kept, "nothing_exercised")
    return Verdict("pass", "pass", kept)
