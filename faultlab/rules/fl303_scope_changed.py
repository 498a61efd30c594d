"""FL303: scope changed."""

from faultlab.rules.rule import Rule
from faultlab.rules.sends import charged, resent

RULE = Rule(
    code="FL303",
    title="scope changed",
    group="keys",
    severity="fail",
    harm=False,
    what="The same key was sent to another region or account.",
    why="Keys are remembered per scope: elsewhere the key is new, and the call executes.",
    safe_instead=("ask in the scope where the first call went; wait for it, or hand over",),
    not_flagged="a first send in any scope",
    source="Amazon EC2, Ensuring idempotency: tokens are per Region",
    check=charged("FL303"),
    exercised=resent,
)
