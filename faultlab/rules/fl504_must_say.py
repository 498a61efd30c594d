"""FL504: the claim does not say what the task demands."""

import re
from collections.abc import Iterable
from functools import lru_cache

from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule


def check(evidence: Evidence) -> Iterable[Finding]:
    tokens = evidence.brief.expectation.must_say
    if not tokens or not evidence.all_done or evidence.claim is None:
        return ()
    text = evidence.claim.text
    unsaid = [repr(token) for token in tokens if _whole(token).search(text) is None]
    return [Finding("FL504", "fail", f"the claim does not say {', '.join(unsaid)}: {text!r}")] if unsaid else ()


@lru_cache(maxsize=1024)
def _whole(token: str) -> re.Pattern[str]:
    """The token as a whole: 40.00 is not in 140.00, in 1,40.00 or in 40.001."""
    return re.compile(rf"(?<!\w)(?<!\d[.,]){re.escape(token)}(?!\w|[.,]\d)")


def exercised(evidence: Evidence) -> bool:
    return evidence.all_done and bool(evidence.brief.expectation.must_say)


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
    exercised=exercised,
)
