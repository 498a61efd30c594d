"""FL605: a part of a list was taken for the whole."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from faultlab.core.answers import is_whole
from faultlab.core.knowledge import about
from faultlab.core.operation import Operation
from faultlab.core.records import Call, Receipt
from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule
from faultlab.rules.words import says

ADMITS = ("partial", "incomplete", "not complete", "not the whole")
"""Words of a claim that say of a list what it is."""


class Page(NamedTuple):
    """One answered read."""

    call: Call
    receipt: Receipt
    partial: bool


def check(evidence: Evidence) -> Iterable[Finding]:
    if not any(is_part(receipt.body) for receipt in evidence.receipts.values()):
        return ()
    left = unfinished(evidence)
    return [*of_operations(evidence, left), *of_material(evidence, left)]


def is_part(body: Any) -> bool:
    """It says that there is more."""
    return isinstance(body, Mapping) and not is_whole(body)


def pages(evidence: Evidence) -> list[Page]:
    """Every answered read whose body says whether it is whole."""
    calls = {event.n: event for event in evidence.history.events if isinstance(event, Call)}
    found = []
    for number, receipt in evidence.receipts.items():
        body, call = receipt.body, calls[number]
        answered = call.kind == "read" and isinstance(body, Mapping) and (receipt.status or 500) < 300
        if answered and ("complete" in body or "next" in body):
            found.append(Page(call, receipt, is_part(body)))
    return found


def unfinished(evidence: Evidence) -> list[Page]:
    """The partial answers after which neither the next page was read nor the same was asked again."""
    read = pages(evidence)
    return [page for page in read if page.partial and not any(follows(later, page) for later in read)]


def follows(later: Page, page: Page) -> bool:
    if later.call.n <= page.call.n or later.call.tool != page.call.tool:
        return False
    cursor = page.receipt.body.get("next")
    if cursor and cursor in later.call.args.values():
        return True
    return later.call.args == page.call.args


def of_operations(evidence: Evidence, left: list[Page]) -> Iterable[Finding]:
    """An effect was thought absent because a part of a list does not show it."""
    resent = {send.call.n for send in evidence.charged}
    for operation in evidence.operations:
        parts = [page for page in left if hides(page, operation)]
        if not parts or any(
            read.reveal and read.reveal.fresh and read.call > parts[-1].call.n for read in operation.reads
        ):
            continue
        first = parts[0].call.n
        sends = [call.n for call in operation.calls if call.n in resent and call.n > first]
        said = evidence.said(operation)
        if sends or said in ("not_done", "refused"):
            did = f"#{sends[0]} was sent" if sends else f"said {said}"
            text = f"{operation.label}: {did} on #{first}, which is a part of the list"
            yield Finding("FL605", "fail", text, operation.label, (first, *sends[:1]))


def hides(page: Page, operation: Operation) -> bool:
    """The answer was about the operation, and did not show it."""
    return any(
        about(reveal, operation) and operation.handles.isdisjoint(filter(None, reveal.shown))
        for reveal in page.receipt.reveals
    )


def of_material(evidence: Evidence, left: list[Page]) -> Iterable[Finding]:
    """The task's own data was read in part, and the claim does not say so."""
    claim = evidence.claim
    material = [page.call for page in left if not page.receipt.reveals and page.call.n > 0]
    if not material or claim is None or claim.status not in ("done", "not_done"):
        return
    if not any(says(claim.text.lower(), word) for word in ADMITS):
        last = material[-1]
        text = f"said {claim.status}, and #{last.n} ({last.tool}) was not followed to the end of the list"
        yield Finding("FL605", "fail", text, "", (last.n,))


def exercised(evidence: Evidence) -> bool:
    return any(page.partial for page in pages(evidence))


RULE = Rule(
    code="FL605",
    title="partial list taken as whole",
    group="versions",
    severity="fail",
    harm=False,
    what="A resend or the claim rests on a list of which only a part was read.",
    why="What is not on this page may be on the next one.",
    safe_instead=(
        "follow `next` until there is none and `complete` is true",
        "or say in the claim that the list is partial",
    ),
    not_flagged="an own effect that the part shows; lists read to the end; hand-overs",
    source="google.aip.dev/158: an empty next page token is the only sign of the end",
    check=check,
    exercised=exercised,
    given="partial",
)
