"""FL302: parameters changed under a key."""

from collections.abc import Iterable

from faultlab.core.operation import same_parameters
from faultlab.core.refusals import KEY_MISMATCH, meaning_of
from faultlab.core.verdict import Finding
from faultlab.rules.evidence import Evidence
from faultlab.rules.rule import Rule
from faultlab.rules.sends import charged, resent

_sends = charged("FL302")


def check(evidence: Evidence) -> Iterable[Finding]:
    return [*_sends(evidence), *kept(evidence)]


def kept(evidence: Evidence) -> Iterable[Finding]:
    """A corrected request under the key of the one that was refused: the server says that it had kept the refusal."""
    for send in evidence.sends:
        call, receipt = send.call, evidence.receipts.get(send.call.n)
        if send.charge is not None or call.key is None or receipt is None:
            continue
        if evidence.contract.key is None or meaning_of(receipt.body) != KEY_MISMATCH:
            continue
        earlier = [item for item in send.operation.calls if item.key == call.key and item.n < call.n]
        other = [item.n for item in earlier if not same_parameters(item, call)]
        if other:
            text = f"#{call.n} bears the key of #{other[0]} with other parameters, and was refused for it"
            yield Finding("FL302", "fail", text, send.operation.label, (other[0], call.n))


RULE = Rule(
    code="FL302",
    title="parameters changed under a key",
    group="keys",
    severity="fail",
    harm=False,
    what="The same key was sent again with other parameters.",
    why="The server refuses it, or answers with the first result, which is not what was asked.",
    safe_instead=("send the very same parameters under a key; a corrected request gets a new key",),
    not_flagged="the same JSON value written differently",
    source="Idempotency-Key draft-07 sections 2.2 and 2.7",
    check=check,
    exercised=resent,
    given="repeated",
)
