"""Findings that a scenario's owner accepts for a time: they become notes. A veto is never accepted."""

from collections.abc import Sequence

from faultlab.core.verdict import Finding, Verdict
from faultlab.matrix.scenario import Accepted


def accepted(verdict: Verdict, ignore: Sequence[Accepted], today: str) -> Verdict:
    """The verdict without the findings accepted today; it passes if nothing else failed it."""
    codes = {item.code for item in ignore if today <= item.until}
    if not codes or verdict.verdict != "fail":
        return verdict
    findings = tuple(_as_note(item) if item.code in codes else item for item in verdict.findings)
    if any(item.severity != "note" and item.cause == "agent" for item in findings):
        return verdict._replace(findings=findings)
    return Verdict("pass", "pass", findings)


def _as_note(finding: Finding) -> Finding:
    return finding if finding.severity == "veto" else finding._replace(severity="note")
