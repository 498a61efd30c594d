"""FL301: key changed while unknown."""

from faultlab.rules.rule import Rule
from faultlab.rules.sends import charged, resent

RULE = Rule(
    code="FL301",
    title="key changed while unknown",
    group="keys",
    severity="fail",
    harm=False,
    what="A second key was used for an operation whose first call may have had its effect.",
    why="To the server a new key is a new intent: it executes, whatever became of the first.",
    safe_instead=("keep the key of the operation over every retry, restart and outer layer",),
    not_flagged="a new key after a conclusive no, or for another intended effect",
    source="Idempotency-Key draft-07 section 2.5.1; docs.stripe.com, low-level errors",
    check=charged("FL301"),
    exercised=resent,
    given="charged",
)
