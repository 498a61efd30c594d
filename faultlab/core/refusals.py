"""Codes of the key layer's refusals, and what each vendor calls them: the server writes them, the client reads them."""

from collections.abc import Mapping
from typing import Any

from faultlab.core.contract import ErrorForm

IN_FLIGHT = "in_flight"
"""The first request under this key is still running."""
KEY_MISMATCH = "key_mismatch"
"""The key was used with other parameters."""
KEY_EXPIRED = "key_expired"
KEY_MISSING = "key_missing"
KEY_INVALID = "key_invalid"
FAILED = "failed"
"""The server's own failure after execution began."""

NAMES: Mapping[ErrorForm, Mapping[str, str]] = {
    "problem": {},
    # docs.stripe.com/api/errors; the name of the in-flight error as stripe-python has it.
    "stripe": {IN_FLIGHT: "idempotency_key_in_use"},
    # docs.aws.amazon.com/AWSEC2/latest/devguide/ec2-api-idempotency.html; for a request in flight it names none.
    "ec2": {
        KEY_MISMATCH: "IdempotentParameterMismatch",
        KEY_INVALID: "InvalidParameterValue",
        FAILED: "InternalError",
        IN_FLIGHT: "RequestInProgress",
    },
    # docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html, Errors.
    "dynamodb": {
        KEY_MISMATCH: "IdempotentParameterMismatchException",
        KEY_INVALID: "ValidationException",
        FAILED: "InternalServerError",
        IN_FLIGHT: "TransactionInProgressException",
    },
    "oasis": {},
    # docs.powertools.aws.dev/lambda/python, Idempotency: exceptions.
    "powertools": {
        KEY_MISSING: "IdempotencyKeyError",
        KEY_MISMATCH: "IdempotencyValidationError",
        FAILED: "Exception",
        IN_FLIGHT: "IdempotencyAlreadyInProgressError",
    },
    # docs.adyen.com/development-resources/api-idempotency.
    "adyen": {IN_FLIGHT: "704"},
    # google.aip.dev/193: the reason of an ErrorInfo is in upper case.
    "google": {code: code.upper() for code in (IN_FLIGHT, KEY_MISMATCH, KEY_EXPIRED, KEY_MISSING, KEY_INVALID, FAILED)},
}
"""Form of the body -> our code -> the vendor's name of it; else ours stands there."""

_MEANING = {name: code for names in NAMES.values() for code, name in names.items()}


def code_in(body: Any) -> str | None:
    """The code in a refusal, whichever form its body has; None for a body of no known form."""
    if not isinstance(body, Mapping):
        return None
    error = body.get("error")
    if isinstance(error, Mapping):  # Stripe, OData, Google
        found = next((item.get("reason") for item in _mappings(error.get("details"))), None) or error.get("code")
    elif first := next(_mappings(body.get("Errors")), None):  # EC2
        found = first.get("Code")
    elif "__type" in body:  # DynamoDB
        found = str(body["__type"]).rpartition("#")[2]
    else:  # problem details, Adyen, Powertools
        found = body.get("code") or body.get("errorCode") or body.get("errorType")
    return found if isinstance(found, str) else None


def _mappings(items: Any) -> Any:
    return (item for item in items if isinstance(item, Mapping)) if isinstance(items, list) else iter(())


def meaning_of(body: Any) -> str | None:
    """Our code of the refusal: IN_FLIGHT, KEY_MISMATCH ...; any other code as it stands there."""
    found = code_in(body)
    return None if found is None else _MEANING.get(found, found)
