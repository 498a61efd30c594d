"""FL406: a layer below the agent sent a request again."""

from collections.abc import Iterable

from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule


def check(evidence: Evidence) -> Iterable[Finding]:
    hidden: dict[int, list[int]] = {}
    for call in evidence.made:
        if call.resent:
            hidden.setdefault(call.resent, []).append(call.n)
    return [
        Finding(
            "FL406",
            "note",
            f"{', '.join(f'#{n}' for n in again)}: the request of #{first} again, sent by a layer below its caller",
            "",
            (first, *again),
        )
        for first, again in hidden.items()
    ]


def exercised(evidence: Evidence) -> bool:
    return bool(evidence.made)


RULE = Rule(
    code="FL406",
    title="hidden retries",
    group="pace",
    severity="note",
    harm=False,
    what="One request of the caller reached the wire more than once: its HTTP client or transport sends again.",
    why="The caller counts one call where there were three, and cannot give each the care that a resend needs.",
    safe_instead=(
        "switch the retries of the HTTP layer off, and leave them to the one place that knows key and budget",
        "or let that layer retry reads only",
    ),
    not_flagged="requests that the caller itself makes anew",
    source="RFC 9110 section 9.2.2: a client does not send a failed request of a non-idempotent method again by itself",
    check=check,
    exercised=exercised,
    given="resent",
)
