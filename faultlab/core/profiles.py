"""The contracts that scenarios name, as a literal catalog. Each cites the public source of its promises."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any

from faultlab.core.contract import Contract, KeyRules
from faultlab.core.errors import BadInput

PROFILES: Mapping[str, Contract] = {
    # Most plain JSON APIs: RFC 9110 section 9.2.2 promises nothing for POST.
    "none": Contract(name="none"),
    # A status query by the client's own reference, with three answers, as Restate's /output by idempotency key.
    "status": Contract(name="status", status=True),
    # A tombstone that later requests run into; the definitive form of Square's cancel-by-key.
    "fence": Contract(name="fence", fence="durable"),
    # A cancellation that is only acknowledged (MCP 2026-07-28, tasks/cancel).
    "cooperative": Contract(name="cooperative", fence="cooperative"),
    # A stated longest execution time and lists that lag behind nothing: Amazon Builders' Library, late requests.
    "settle": Contract(name="settle", settle_s=30.0, consistent_reads=True),
    # Conditional writes: RFC 9110 section 13.1.1, and RFC 6585 section 3 for a write without a condition.
    "precondition": Contract(name="precondition", precondition="required"),
    # Our recommendation where a server is free to choose: every question that the drafts leave open is answered.
    "strict": Contract(
        name="strict",
        key=KeyRules(on_expired="reject", retry_after_s=1, replay_header="Idempotent-Replayed"),
    ),
    # draft-ietf-httpapi-idempotency-key-header-07, sections 2.1 to 2.7: quoted key, 422, 409, no replay marker.
    "ietf": Contract(name="ietf", key=KeyRules(save_5xx=True, max_length=10_000)),
    # docs.stripe.com/api/idempotent_requests (v1): bare key, first result kept "including 500 errors", 24 h.
    "stripe_v1": Contract(
        name="stripe_v1",
        key=KeyRules(
            mismatch_status=400,
            replay_header="Idempotent-Replayed",
            save_5xx=True,
            quoted="never",
            error_body="stripe",
        ),
    ),
}


def contract_of(name: str, parameters: Mapping[str, Any] | None = None) -> Contract:
    """A profile by name, or `{profile: none, settle_s: 30}`: a profile with parameters changed.

    Raises BadInput for an unknown profile or parameter, naming those that exist.
    """
    changes = dict(parameters or {})
    base = changes.pop("profile", name)
    if base not in PROFILES:
        raise BadInput(f"unknown contract {base!r}; known: {', '.join(PROFILES)}")
    profile = PROFILES[base]
    key_changes = changes.pop("key", None)
    allowed = {item.name for item in fields(Contract)} - {"name", "key"}
    if unknown := sorted(set(changes) - allowed):
        raise BadInput(f"contract {name!r}: unknown parameter {unknown[0]!r}; known: key, {', '.join(sorted(allowed))}")
    for field in ("rejects_before_effect", "undisclosed"):
        if field in changes:
            if isinstance(changes[field], str) or not isinstance(changes[field], Iterable):
                raise BadInput(f"contract {name!r}: {field} is a list, not {changes[field]!r}")
            changes[field] = frozenset(changes[field])
    hideable = (allowed | {"key", "key.window_s"}) - {"undisclosed"}
    if unknown := sorted(map(str, changes.get("undisclosed", frozenset()) - hideable)):
        raise BadInput(f"contract {name!r}: undisclosed names {unknown[0]!r}; known: {', '.join(sorted(hideable))}")
    if key_changes is not None:
        known = {item.name for item in fields(KeyRules)}
        if unknown := sorted(set(key_changes) - known):
            raise BadInput(
                f"contract {name!r}: unknown key parameter {unknown[0]!r}; known: {', '.join(sorted(known))}"
            )
        changes["key"] = replace(profile.key or KeyRules(), **key_changes)
    elif "key" in (parameters or {}):
        changes["key"] = None
    return replace(profile, name=name, **changes)
