"""Bodies of the server's own refusals: RFC 9457 problem details, or a vendor's error object."""

from typing import Any

from faultlab.core.actions import Reply
from faultlab.core.contract import KeyRules
from faultlab.core.outcome import IN_FLIGHT

TITLES = {
    400: "Bad Request",
    404: "Not Found",
    409: "Conflict",
    412: "Precondition Failed",
    422: "Unprocessable Content",
    500: "Internal Server Error",
    503: "Service Unavailable",
}


def problem(status: int, code: str, detail: str) -> Reply:
    """A problem object with the extension member `code`."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": TITLES.get(status, "Error"),
        "status": status,
        "code": code,
        "detail": detail,
    }
    return Reply(status, body)


def key_error(rules: KeyRules, status: int, code: str, detail: str) -> Reply:
    """A refusal of the key layer, in the contract's own form."""
    if rules.error_body == "stripe":
        kind = "idempotency_error"
        name = "idempotency_key_in_use" if code == IN_FLIGHT else code
        return Reply(status, {"error": {"type": kind, "code": name, "message": detail}})
    reply = problem(status, code, detail)
    if code == IN_FLIGHT and rules.retry_after_s is not None:
        return reply._replace(headers={"retry-after": str(rules.retry_after_s)})
    return reply
