"""FL304: relied on an expired or undisclosed window."""

from faultlab.rules.rule import Rule
from faultlab.rules.sends import charged, resent

RULE = Rule(
    code="FL304",
    title="relied on an expired or undisclosed window",
    group="keys",
    severity="fail",
    harm=False,
    what="A resend relied on a key that is older than its window, or whose window is not stated.",
    why="After the window the key counts as new, and the call executes again.",
    safe_instead=("treat an old key as no key: query, else hand over",),
    not_flagged="resends of expired keys where the contract says that those are refused",
    source="docs.stripe.com, idempotent requests: keys are removed after 24 hours",
    check=charged("FL304"),
    exercised=resent,
)
