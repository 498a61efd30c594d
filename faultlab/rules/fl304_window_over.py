"""FL304: a resend relied on a window that is over, or that nobody stated."""

from faultlab.rules.rule import Rule
from faultlab.rules.sends import charged, resent

RULE = Rule(
    code="FL304",
    title="relied on an expired or undisclosed window",
    group="keys",
    severity="fail",
    harm=False,
    what="A key was used again after its window, or under a contract that does not say how long keys are kept.",
    why="A server that has forgotten the key takes the request for a new one and executes it.",
    safe_instead=(
        "count the window from the first own send under the key, and keep that moment beside the key",
        "once it is over: ask, and hand over where no answer is conclusive",
    ),
    not_flagged="old keys where the contract says that they are refused",
    source="Idempotency-Key draft-07 section 2.3; docs.stripe.com/api/idempotent_requests, removal of keys",
    check=charged("FL304"),
    exercised=resent,
    given="charged",
)
