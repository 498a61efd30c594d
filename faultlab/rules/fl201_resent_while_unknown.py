"""FL201: resent while unknown."""

from faultlab.rules.rule import Rule
from faultlab.rules.sends import charged, resent

RULE = Rule(
    code="FL201",
    title="resent while unknown",
    group="recovery",
    severity="fail",
    harm=False,
    what="A call whose receipt was lost was sent again although nothing made that safe.",
    why="The caller cannot tell `committed` from `never`; resending is right in one of them only.",
    safe_instead=(
        "a key the server honours, same parameters, same scope, inside its window: resend, same key",
        "a status query or fence with a definitive answer: ask, then resend only if it says not done",
        "a stated settle time has passed and a fresh, complete read shows nothing: resend once",
        "none of these: wait, query again, then hand over; a negative read is no proof (FL202)",
    ),
    not_flagged="reads; connect failures; refusals with no earlier unknown",
    source="RFC 9110 section 9.2.2; Idempotency-Key draft-07 section 2.5.1",
    check=charged("FL201"),
    exercised=resent,
    given="charged",
)
