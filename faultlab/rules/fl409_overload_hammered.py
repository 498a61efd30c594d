"""FL409: an overloaded server was called again at once, or at a steady beat."""

from collections.abc import Iterable

from faultlab.core.clock import NS
from faultlab.core.verdict import Finding
from faultlab.core.waits import not_before_ns
from faultlab.rules.again import OVERLOADED, Again, repeated, seconds
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule

LEAST_NS = NS // 10
"""What is shorter is no wait."""

LONGEST_NS = 30 * NS
"""So long a wait need not grow any more."""


def check(evidence: Evidence) -> Iterable[Finding]:
    return report(evidence) if exercised(evidence) else ()


def report(evidence: Evidence) -> Iterable[Finding]:
    waited: dict[int, int] = {}
    """Number of a retry -> how long it waited."""
    for again in retried(evidence):
        before, call, wait_ns = again.before.n, again.call.n, again.wait_ns
        steady = before in waited and wait_ns <= waited[before]
        waited[call] = wait_ns
        what = f"#{call} left {seconds(wait_ns)} after #{before} ({again.answer.status})"
        if wait_ns < LEAST_NS:
            yield Finding("FL409", "fail", f"{what}: that is no wait", again.about, (before, call))
        elif steady and wait_ns < LONGEST_NS:
            yield Finding("FL409", "fail", f"{what}: no longer than the time before", again.about, (before, call))


def retried(evidence: Evidence) -> Iterable[Again]:
    """Calls after an overload answer to the same that states no wait; with one it is for FL404 to judge."""
    for again in repeated(evidence):
        overloaded = again.answer.error is None and again.answer.status in OVERLOADED
        if overloaded and not_before_ns(again.answer) <= again.answer.t:
            yield again


def exercised(evidence: Evidence) -> bool:
    """Some complete answer told of too much load."""
    return any(receipt.status in OVERLOADED and receipt.error is None for receipt in evidence.receipts.values())


RULE = Rule(
    code="FL409",
    title="overload answer retried without growing waits",
    group="pace",
    severity="fail",
    harm=False,
    what="After 429 or 503 the same was sent again at once, or after waits that do not grow.",
    why="Many callers that come back at a steady beat keep an overloaded server down.",
    safe_instead=("wait before each retry, longer each time, with jitter; obey Retry-After where it is stated",),
    not_flagged="waits of 30 s and more; answers with a Retry-After (FL404); other calls in between",
    source="RFC 6585 section 4; Amazon Builders' Library, timeouts, retries and backoff with jitter",
    check=check,
    exercised=exercised,
    given="troubled",
)
