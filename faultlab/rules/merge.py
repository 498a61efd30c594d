"""From the findings of all rules to one verdict and one mark."""

from collections.abc import Iterable, Sequence

from faultlab.core.history import History
from faultlab.core.verdict import SEVERITIES, Finding, Mark, Verdict
from faultlab.rules.catalog import CATALOG

_RANK = {severity: number for number, severity in enumerate(SEVERITIES)}
TIMEOUTS = frozenset({"hung", "deadlock", "over_budget"})


def merge(
    history: History, findings: Sequence[Finding], known: tuple[tuple[str, str], ...] = (), queries: int = 0
) -> Verdict:
    """The attempt's verdict. FL205 gives way where FL501 or FL502 is charged for the same operation."""
    end = history.end
    if not findings and end == "claimed":
        return Verdict("pass", "pass", (), "", known, queries)
    kept = tuple(sorted(_joined(_without_205(findings)), key=_place))
    if end == "toolset_failed":
        reason = f"toolset_failed: {history.error}"
        return Verdict("infra_error", "inconclusive", kept, reason, known, queries)
    failing = [item for item in kept if item.severity != "note" and item.cause == "agent"]
    if failing or end in TIMEOUTS:
        mark: Mark = "harm" if any(CATALOG[item.code].harm for item in failing) else "wrong"
        return Verdict("timeout" if end in TIMEOUTS else "fail", mark, kept, "", known, queries)
    codes = {item.code for item in kept}
    for code, reason in (("FL901", "fault_not_fired"), ("FL904", "nothing_exercised")):
        if code in codes:
            return Verdict("infra_error", "inconclusive", kept, reason, known, queries)
    return Verdict("pass", "pass", kept, "", known, queries)


def _without_205(findings: Iterable[Finding]) -> list[Finding]:
    contradicted = {item.operation for item in findings if item.code in ("FL501", "FL502")}
    return [item for item in findings if item.code != "FL205" or item.operation not in contradicted]


def _joined(findings: Iterable[Finding]) -> Iterable[Finding]:
    """One finding for each code and operation, with all calls and effects."""
    found: dict[tuple[str, ...], Finding] = {}
    for item in findings:
        key = (item.code, item.operation, item.severity, item.cause)
        one = found.get(key)
        found[key] = (
            item
            if one is None
            else one._replace(
                text=f"{one.text}; {item.text}",
                calls=tuple(sorted({*one.calls, *item.calls})),
                effects=tuple(sorted({*one.effects, *item.effects})),
            )
        )
    return found.values()


def _place(item: Finding) -> tuple[int, str, str]:
    return _RANK[item.severity], item.code, item.operation
