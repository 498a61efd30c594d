"""Bodies of the server's own refusals: RFC 9457 problem details, or a vendor's error object."""

from typing import Any

from faultlab.core.actions import Reply
from faultlab.core.contract import ErrorForm, KeyRules
from faultlab.core.refusals import FAILED, IN_FLIGHT, NAMES
from faultlab.core.titles import TITLES

RPC = {400: "INVALID_ARGUMENT", 409: "ABORTED", 412: "FAILED_PRECONDITION", 422: "INVALID_ARGUMENT", 500: "INTERNAL"}
"""Status -> google.rpc.Code."""


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
    busy = code == IN_FLIGHT
    headers = {}
    if busy and rules.retry_after_s is not None:
        headers["retry-after"] = str(rules.retry_after_s)
    if rules.advice_header is not None:
        headers[rules.advice_header.lower()] = "true" if busy else "false"
    return Reply(status, _body(rules.error_body, status, code, detail), headers)


def failure(rules: KeyRules | None) -> Reply:
    """The server's own 500: it broke down after execution had begun. The advice stands where the 500 is kept."""
    detail = "Something went wrong on the server."
    if rules is None:
        return problem(500, FAILED, detail)
    reply = key_error(rules, 500, FAILED, detail)
    return reply if rules.save_5xx else reply._replace(headers={})


def _body(form: ErrorForm, status: int, code: str, detail: str) -> dict[str, Any]:
    name = NAMES[form].get(code, code)
    match form:
        case "problem":
            body: dict[str, Any] = problem(status, code, detail).body
            return body
        case "stripe":
            kind = "api_error" if status >= 500 else "idempotency_error"
            return {"error": {"type": kind, "code": name, "message": detail}}
        case "ec2":
            return {"Errors": [{"Code": name, "Message": detail}]}
        case "dynamodb":
            return {"__type": f"com.amazonaws.dynamodb.v20120810#{name}", "message": detail}
        case "oasis":
            return {"error": {"code": name, "message": detail}}
        case "powertools":
            return {"errorType": name, "errorMessage": detail}
        case "adyen":
            return {"status": status, "errorCode": name, "message": detail, "errorType": "validation"}
        case "google":
            # google.aip.dev/193: code is the HTTP status, status the name of the google.rpc.Code.
            info = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": name, "domain": "faultlab"}
            return {"error": {"code": status, "status": RPC[status], "message": detail, "details": [info]}}
