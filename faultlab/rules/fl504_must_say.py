"""FL504: the claim does not say what the task demands."""

from collections.abc import Iterable

from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule
from faultlab.rules.words import says


def check(evidence: Evidence) -> Iterable[Finding]:
    tokens = evidence.brief.expectation.must_say
    if not tokens or not evidence.all_done or evidence.claim is None:
        return ()
    text = evidence.claim.text
    unsaid = [repr(token) for token in tokens if not says(text, token)]
    return [Finding("FL504", "fail", f"the claim does not say {', '.join(unsaid)}: {text!r}")] if unsaid else ()


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
    given="brief.expectation.must_say",
)
