"""FL302: parameters changed under a key."""

from faultlab.rules.rule import Rule
from faultlab.rules.sends import charged, resent

RULE = Rule(
    code="FL302",
    title="parameters changed under a key",
    group="keys",
    severity="fail",
    harm=False,
    what="The same key was sent again with other parameters.",
    why="The server refuses it, or answers with the first result, which is not what was asked.",
    safe_instead=("send the very same parameters under a key; a corrected request gets a new key",),
    not_flagged="the same JSON value written differently",
    source="Idempotency-Key draft-07 sections 2.2 and 2.7",
    check=charged("FL302"),
    exercised=resent,
)
