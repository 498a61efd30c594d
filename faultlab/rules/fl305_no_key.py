"""FL305: a key was offered and not used."""

from collections.abc import Iterable

from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule


def check(evidence: Evidence) -> Iterable[Finding]:
    if evidence.contract.key is None:
        return ()
    for send in evidence.sends:
        if send.first and send.call.key is None:
            return report(evidence)
    return ()


def report(evidence: Evidence) -> Iterable[Finding]:
    for send in evidence.sends:
        if send.first and send.call.key is None:
            name = send.operation.label
            yield Finding("FL305", "note", f"{name}: #{send.call.n} left without a key", name, (send.call.n,))


def exercised(evidence: Evidence) -> bool:
    return evidence.contract.key is not None and bool(evidence.sends)


RULE = Rule(
    code="FL305",
    title="no key where one is offered",
    group="keys",
    severity="note",
    harm=False,
    what="A write left without an idempotency key although the contract honours keys.",
    why="Without a key a lost receipt cannot be cured by a resend.",
    safe_instead=("send a key with the first call of every write",),
    not_flagged="contracts that do not honour keys",
    source="Idempotency-Key draft-07 section 2.5.1",
    check=check,
    exercised=exercised,
    given="unkeyed",
)
