"""What a rule is: a stable code, what it means, and a check over evidence."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from faultlab.core.verdict import Finding, Severity
from faultlab.rules.evidence import Evidence

Fact = Literal[
    "alone", "brief.approvals", "brief.expectation.must_say", "brief.expectation.secrets", "brief.guarded",
    "brief.ways_round", "charged", "doubtful", "ended_badly", "fired_short", "foreign", "headed", "history", "open",
    "outside", "partial", "qualified", "repeated", "resent", "retracted", "several", "short", "sighted", "surplus",
    "troubled", "unkeyed",
]  # fmt: skip
"""A member of Evidence without which a rule can find nothing; every attempt has its `history`."""

RuleGroup = Literal["effects", "recovery", "keys", "budget", "pace", "claims", "versions", "authority", "validity"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule. The texts are what `faultlab explain` and the docs print."""

    code: str
    title: str
    group: RuleGroup
    severity: Severity
    harm: bool
    """Its finding is marked ✗: an effect too many or missing, or a false claim."""
    what: str
    why: str
    safe_instead: tuple[str, ...]
    not_flagged: str
    source: str
    check: Callable[[Evidence], Iterable[Finding]]
    exercised: Callable[[Evidence], bool]
    """Whether the history gave the rule anything to judge."""
    given: Fact = "history"
    """What must be there before `check` is called: most attempts give most rules nothing, and a call costs more than
    a look."""
    since: str = "0.1"


def always(evidence: Evidence) -> bool:
    """For rules that every attempt exercises."""
    return True
