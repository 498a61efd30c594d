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
    # docs.stripe.com/api/idempotent_requests and /error-low-level (v1): bare key, the first result is kept once
    # execution began "including 500 errors", 24 h, Stripe-Should-Retry.
    "stripe_v1": Contract(
        name="stripe_v1",
        key=KeyRules(
            mismatch_status=400,
            replay_header="Idempotent-Replayed",
            advice_header="Stripe-Should-Retry",
            save_5xx=True,
            quoted="never",
            error_body="stripe",
        ),
    ),
    # docs.stripe.com/api-v2-overview, Idempotency: per API, 30 days, failures are executed again, replays are
    # up to date.
    "stripe_v2": Contract(
        name="stripe_v2",
        key=KeyRules(
            scope="tool",
            window_s=2_592_000.0,
            mismatch_status=400,
            replay_body="updated",
            save_4xx=False,
            quoted="never",
            error_body="stripe",
        ),
    ),
    # docs.aws.amazon.com/AWSEC2/latest/devguide/ec2-api-idempotency.html: ClientToken, one for each Region. The 24 h
    # after termination stand in the user guide of API version 2013-02-01. What a resend after a deletion gets:
    # aws.amazon.com/builders-library, Making retries safe with idempotent APIs.
    "ec2": Contract(
        name="ec2",
        key=KeyRules(
            carrier="body ClientToken",
            scope="region",
            window_from="resource_end",
            mismatch_status=400,
            echoes_key=True,
            replay_body="updated",
            save_4xx=False,
            max_length=64,
            error_body="ec2",
        ),
    ),
    # docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html: ClientRequestToken, valid
    # for 10 minutes after the first request has completed.
    "dynamodb": Contract(
        name="dynamodb",
        key=KeyRules(
            carrier="body ClientRequestToken",
            window_s=600.0,
            window_from="completion",
            mismatch_status=400,
            in_flight_status=400,
            save_4xx=False,
            max_length=36,
            error_body="dynamodb",
        ),
    ),
    # docs.oasis-open.org/odata/repeatable-requests/v1.0, sections 3 to 5. The window of 5 minutes, 409 in flight and
    # 4xx kept: learn.microsoft.com, Azure Communication Services, repeatable requests.
    "oasis": Contract(
        name="oasis",
        key=KeyRules(
            carrier="header Repeatability-Request-ID",
            first_sent_header="Repeatability-First-Sent",
            window_s=300.0,
            window_from="first_sent",
            on_expired="reject",
            mismatch_status=400,
            result_header="Repeatability-Result",
            quoted="never",
            error_body="oasis",
        ),
    ),
    # docs.powertools.aws.dev/lambda/python, Idempotency: the key is a part of the payload, the record is deleted when
    # the function raises, the rest of the payload is not compared unless asked. 900 s: a function's longest run.
    "powertools": Contract(
        name="powertools",
        key=KeyRules(
            carrier="body idempotency_key",
            scope="tool",
            compares="none",
            window_s=3600.0,
            window_from="completion",
            mismatch_status=400,
            lease_s=900.0,
            save_4xx=False,
            frees_on_5xx=True,
            error_body="powertools",
        ),
    ),
    # docs.adyen.com/development-resources/api-idempotency: 64 characters, for at least 7 days, transient-error.
    "adyen": Contract(
        name="adyen",
        key=KeyRules(
            window_s=604_800.0,
            in_flight_status=422,
            advice_header="transient-error",
            echoes_key=True,
            max_length=64,
            quoted="never",
            error_body="adyen",
        ),
    ),
    # google.aip.dev/155: request_id, only a success is given again. Parameters are not compared; how long a key is
    # kept is left open there: one hour is the least that aep.dev/155 allows.
    "aip155": Contract(
        name="aip155",
        key=KeyRules(
            carrier="body request_id",
            scope="tool",
            compares="none",
            window_s=3600.0,
            save_4xx=False,
            max_length=36,
            error_body="google",
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
        try:
            changes["key"] = replace(profile.key or KeyRules(), **key_changes)
        except BadInput as error:
            raise BadInput(f"contract {name!r}: {error}") from None
    elif "key" in (parameters or {}):
        changes["key"] = None
    return replace(profile, name=name, **changes)
