"""FL405: a request was sent again that had been refused for good."""

from collections.abc import Iterable

from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule
from faultlab.rules.sends import charged

_sends = charged("FL405")


def check(evidence: Evidence) -> Iterable[Finding]:
    return report(evidence) if exercised(evidence) else ()


def report(evidence: Evidence) -> Iterable[Finding]:
    yield from _sends(evidence)
    for send in evidence.sends:
        if send.charge is None and send.advised_against:
            name, before = send.operation.label, send.advised_against
            text = f"#{send.call.n} left although the answer to #{before} said that it is not worth sending again"
            yield Finding("FL405", "fail", text, name, (before, send.call.n))


def exercised(evidence: Evidence) -> bool:
    """Something was refused, or the server spoke against another try."""
    if any(400 <= (receipt.status or 0) < 500 for receipt in evidence.receipts.values()):
        return True
    return any(send.advised_against or send.charge is not None for send in evidence.sends)


RULE = Rule(
    code="FL405",
    title="permanent refusal repeated",
    group="pace",
    severity="fail",
    harm=False,
    what="The same request was sent again after a refusal that does not pass by itself.",
    why="It meets the same refusal. An invalid request stays invalid, a missing right stays missing.",
    safe_instead=(
        "400 and 422: correct the request, and give it a key of its own",
        "403: stop, and say who refused what",
        "412: read, decide again, and name the version that you read; 428: name one",
    ),
    not_flagged="refusals that pass: 401, 421, 425, 429, what the contract says precedes every effect, and what the"
    " server's own retry header calls worth another try",
    source="RFC 9110 sections 15.5.1, 15.5.4 and 15.5.21; docs.stripe.com/error-low-level, Stripe-Should-Retry",
    check=check,
    exercised=exercised,
    given="troubled",
)
