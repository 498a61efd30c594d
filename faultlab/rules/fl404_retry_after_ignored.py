"""FL404: called again before the moment that the server had stated."""

from collections.abc import Iterable

from faultlab.core.verdict import Finding
from faultlab.core.waits import DATE_NS, is_dated, not_before_ns
from faultlab.rules.again import repeated, seconds
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule


def check(evidence: Evidence) -> Iterable[Finding]:
    return report(evidence) if asked(evidence) else ()


def report(evidence: Evidence) -> Iterable[Finding]:
    for again in repeated(evidence):
        answer, call = again.answer, again.call
        if "retry-after" not in answer.headers:
            continue
        until_ns = not_before_ns(answer)
        if call.t < until_ns - (DATE_NS if is_dated(answer) else 0):
            stated = answer.headers["retry-after"]
            text = f"#{call.n} left {seconds(again.wait_ns)} after #{again.before.n} was answered Retry-After: {stated}"
            yield Finding("FL404", "fail", text, again.about, (again.before.n, call.n))


def asked(evidence: Evidence) -> bool:
    """Some answer asked for a wait that can be read."""
    return any(
        "retry-after" in receipt.headers and not_before_ns(receipt) > receipt.t
        for receipt in evidence.receipts.values()
        if receipt.headers
    )


RULE = Rule(
    code="FL404",
    title="Retry-After ignored",
    group="pace",
    severity="fail",
    harm=False,
    what="The same was asked again before the time that the last answer had stated in Retry-After.",
    why="The server said when it can serve; earlier calls add to the load and are refused again.",
    safe_instead=(
        "wait as long as stated, in seconds or until the date, counted from the answer",
        "where that is beyond the budget: hand over, and say when it can be tried again",
    ),
    not_flagged="other calls meanwhile; a value of neither form (negative, words), which asks for nothing",
    source="RFC 9110 section 10.2.3; RFC 6585 section 4",
    check=check,
    exercised=asked,
    given="headed",
)
