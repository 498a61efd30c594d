"""client: what a tool gave back, as a receipt: a returned value, an exception, or an HTTP response."""

import json
from collections.abc import Mapping
from contextlib import suppress
from email.utils import formatdate
from typing import Any

from faultlab.core.agent import ToolError
from faultlab.core.clock import wall_time
from faultlab.core.contract import Contract
from faultlab.core.outcome import outcome_of_exception, outcome_of_response
from faultlab.core.records import Outcome, Receipt
from faultlab.core.tools import Refused

SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
"""RFC 9110 section 9.2.1: these ask for no change."""

KEPT_HEADERS = frozenset(
    {
        "age",
        "date",
        "etag",
        "idempotency-replayed",
        "idempotent-replayed",
        "location",
        "repeatability-result",
        "retry-after",
        "stripe-should-retry",
        "transient-error",
    }
)
"""The headers that mean something to a recovery."""


class HttpAnswer(Exception):
    """A response that is no result; `error_of` reads it."""

    def __init__(self, response: Any) -> None:
        super().__init__(f"status {response.status_code}")
        self.response = response


def refuse(returned: Any) -> None:
    """Raise HttpAnswer for a response (of httpx or requests) that says that it is none."""
    status = getattr(returned, "status_code", None)
    if isinstance(status, int) and status >= 400 and hasattr(returned, "headers") and hasattr(returned, "content"):
        raise HttpAnswer(returned)


def error_of(error: Exception, tool: str, contract: Contract) -> ToolError:
    """An exception out of a tool, as what its receipt proves. The default is UNKNOWN.

    A ToolError says it itself; `Refused` says that nothing was done; an exception with a `response` (HTTPStatusError
    of httpx and requests) is read as that response; all others by class (`core.outcome`). What failed after a redirect,
    or at a read, is no word about the write before it.
    """
    if isinstance(error, ToolError):
        return error
    if isinstance(error, Refused):
        body = {"code": error.code, "detail": error.detail}
        return ToolError(tool, Outcome.NOT_APPLIED, Receipt(0, 0, Outcome.NOT_APPLIED, error.status, body))
    response: Any = getattr(error, "response", None)
    if isinstance(getattr(response, "status_code", None), int):
        found = receipt_of(response.status_code, response.headers, response.content, contract, fits=False)
    else:
        found = Receipt(0, 0, outcome_of_exception(error), error=type(error).__name__)
    if is_aside(error):
        found = found._replace(outcome=Outcome.UNKNOWN)
    return ToolError(tool, found.outcome, found)


def is_aside(error: Exception) -> bool:
    """It came of a request that was not the write: of a safe one, or of one that followed a redirect."""
    with suppress(RuntimeError):  # how httpx says that an exception has no request
        request: Any = getattr(error, "request", None)
        if getattr(request, "method", None) in SAFE:
            return True
    response: Any = getattr(error, "response", None)
    return bool(getattr(response, "history", None))


def receipt_of(
    status: int, headers: Mapping[str, str], content: bytes, contract: Contract, *, fits: bool = True
) -> Receipt:
    """A complete HTTP response. `fits`: a 2xx of it is a result."""
    body, decoded = decoded_body(content)
    outcome = outcome_of_response(
        status,
        body,
        fits=fits and decoded,
        rejects_before_effect=contract.rejects_before_effect,
        in_flight_status=None if contract.key is None else contract.key.in_flight_status,
    )
    return Receipt(0, 0, outcome, status, body, kept(headers, contract))


def decoded_body(content: bytes) -> tuple[Any, bool]:
    """The JSON value, or the text where it is none; whether it says what it is. No body is a whole answer, too."""
    if not content:
        return None, True
    try:
        return json.loads(content), True
    except ValueError:
        return content.decode(errors="replace"), content.lstrip()[:1] not in (b"{", b"[")


def kept(headers: Mapping[str, str], contract: Contract) -> dict[str, str]:
    """Lower-case names. A Retry-After that is a date is read against the Date of the answer, else against ours."""
    marker = contract.key.replay_header if contract.key is not None else None
    names = KEPT_HEADERS if marker is None else KEPT_HEADERS | {marker.lower()}
    found = {name.lower(): value for name, value in headers.items() if name.lower() in names}
    if "retry-after" in found:
        found.setdefault("date", formatdate(wall_time(), usegmt=True))
    return found
