"""FL504: the claim does not say what the task demands."""

import re
from collections.abc import Iterable

from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule


def check(evidence: Evidence) -> Iterable[Finding]:
    claim = evidence.claim
    if claim is None or claim.status != "done":
        return
    for token in evidence.brief.expectation.must_say:
        if not says(claim.text, token):
            yield Finding("FL504", "fail", f"the claim does not say {token!r}: {claim.text!r}", token)


def says(text: str, token: str) -> bool:
    """The token as a whole: 40.00 is not in 140.00, nor in 40.001."""
    return re.search(rf"(?<!\w)(?<!\d[.,]){re.escape(token)}(?![\w]|[.,]\d)", text) is not None


def exercised(evidence: Evidence) -> bool:
    claim = evidence.claim
    return claim is not None and claim.status == "done" and bool(evidence.brief.expectation.must_say)


RULE = Rule(
    code="FL504",
    title="must-say missing",
    group="claims",
    severity="fail",
    harm=False,
    what="The claim done does not contain a token that the task demands to be said.",
    why="The work was done, and the customer was not told.",
    safe_instead=("put the fact into the claim's text",),
    not_flagged="claims other than done",
    source="tau-bench: required outputs",
    check=check,
    plain=True,
    exercised=exercised,
)
