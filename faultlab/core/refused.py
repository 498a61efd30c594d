"""What a refusal forbids: the same request again, any request, or nothing once its reason has passed.

Sources: RFC 9110 sections 15.5.2 to 15.5.20, RFC 6585 sections 3 and 4, RFC 8470 section 5.2;
docs.stripe.com/error-low-level (Stripe-Should-Retry), docs.adyen.com, API idempotency (transient-error).
"""

from typing import Literal, NamedTuple

from faultlab.core.contract import Contract
from faultlab.core.operation import Operation
from faultlab.core.records import Call, Receipt
from faultlab.core.refusals import KEY_EXPIRED, KEY_INVALID, KEY_MISMATCH, KEY_MISSING, meaning_of

PASSING_REFUSALS = frozenset({401, 421, 425, 429})
"""Refusals that may pass: the same request can succeed later, elsewhere, or with new credentials."""

AUTHORITY_REFUSALS = frozenset({403})

CANCELLED, BARRED = "cancelled", "barred"
"""Codes of a refusal by a fence: of a tombstone under the handle, of one that bars earlier requests only."""

Kind = Literal["authority", "final", "stale", "bare", "key"]
"""authority: no request will do. final: this one will not, a corrected one may. stale: its condition names a version
that is gone. bare: it needs a condition. key: under this key it will not, under another it may."""


class Refusal(NamedTuple):
    """A refusal that a repeated request would meet again."""

    call: Call
    kind: Kind
    status: int | None
    """None: the request was accepted, and failed afterwards."""

    @property
    def says(self) -> str:
        return "accepted, and failed for good" if self.status is None else f"refused with {self.status}"


def standing_refusal(operation: Operation, contract: Contract) -> Refusal | None:
    """The last word about an operation that is known not to be applied, where it does not pass by itself."""
    receipt, failed = operation.refusal, operation.failed
    if failed and (receipt is None or receipt.call < failed):
        if operation.terms.retryable or operation.settled_by > failed:
            return None
        return Refusal([item for item in operation.calls if item.n < failed][-1], "final", None)
    if receipt is None:
        return None
    call = next(item for item in operation.calls if item.n == receipt.call)
    kind = kind_of(call, receipt, contract)
    if kind == "final" and operation.settled_by > receipt.call:
        return None  # what it collided with is known now to have come to nothing
    return None if kind is None else Refusal(call, kind, receipt.status)


def refused_for_good(operation: Operation, contract: Contract) -> Refusal | None:
    """A standing refusal that no other key, condition or wait lifts: only another request may succeed, or none."""
    refusal = standing_refusal(operation, contract)
    return refusal if refusal is not None and refusal.kind in ("authority", "final") else None


def kind_of(call: Call, receipt: Receipt, contract: Contract) -> Kind | None:
    """What one refusal forbids; None: nothing, its reason passes."""
    status = receipt.status
    if status is None:
        return None  # the request never left
    if status in AUTHORITY_REFUSALS:
        return "authority"
    said = meaning_of(receipt.body)
    if contract.key is not None and said in (KEY_EXPIRED, KEY_INVALID, KEY_MISSING, KEY_MISMATCH):
        return "key"
    if said == CANCELLED:
        return "key"
    if (told := advice(receipt, contract)) is not None:
        return None if told else "final"
    if status in PASSING_REFUSALS or status in contract.rejects_before_effect or said == BARRED:
        return None
    if status == 428 and call.if_match is None:
        return "bare"
    return "stale" if status == 412 and call.if_match is not None else "final"


def advice(receipt: Receipt | None, contract: Contract) -> bool | None:
    """Whether the answer says that the same request is worth sending again; None: it does not say. It overrides the
    status."""
    rules = contract.key
    if receipt is None or rules is None or rules.advice_header is None:
        return None
    said = receipt.headers.get(rules.advice_header.lower(), "").strip().lower()
    return {"true": True, "false": False}.get(said)
