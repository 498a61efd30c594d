"""FL303: the scope changed under a key."""

from faultlab.rules.rule import Rule
from faultlab.rules.sends import charged, resent

RULE = Rule(
    code="FL303",
    title="scope changed",
    group="keys",
    severity="fail",
    harm=False,
    what="An operation of unknown outcome was sent again in another scope: another region, account or tenant.",
    why="A key counts in its own scope only. Elsewhere the request is a new one, and both may run.",
    safe_instead=(
        "resend where the first call went, under the same key, once that place answers again",
        "ask there what became of it, or hand over",
    ),
    not_flagged="another scope after a conclusive no in the first",
    source="Amazon EC2 developer guide, Ensuring idempotency: a token counts in its Region",
    check=charged("FL303"),
    exercised=resent,
    given="charged",
)
