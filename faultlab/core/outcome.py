"""What one receipt proves about one call. The default is UNKNOWN.

Sources: RFC 9110 section 9.2.2 (when a request may be repeated), section 15.3.3 (202 commits to nothing);
the exception trees of httpx and httpx2, by class name: no HTTP library is imported here.
"""

import re
from collections.abc import Container, Mapping
from typing import Any

from faultlab.core.records import Outcome

NEVER_LEFT: frozenset[tuple[str, str]] = frozenset(
    (package, name)
    for package in ("httpx", "httpx2", "httpcore", "httpcore2", "faultlab")
    for name in ("ConnectError", "ConnectTimeout", "PoolTimeout", "InvalidURL", "UnsupportedProtocol")
)
"""(package, class name): raised before a byte of the request can have left."""

REFUSED_STREAM = re.compile(r"REFUSED_STREAM|StreamReset\b.*\berror_code:(?:7|0x7)\b")
"""HTTP/2 error code by which a server states that it did not process the request (RFC 9113 section 8.7).
httpx gives h2's text of the event, which names the code by its number: `error_code:7`."""

UNSETTLED_STATUSES = frozenset({408, 499, 500, 502, 503, 504})
"""Complete answers that leave it open whether the request was carried out."""

IN_FLIGHT = "in_flight"
"""Value of the problem member `code` that tells an in-flight 409 from a conflict."""


def outcome_of_exception(error: BaseException) -> Outcome:
    """By the class name and package of each class the exception descends from."""
    for kind in type(error).__mro__:
        if (kind.__module__.partition(".")[0], kind.__name__) in NEVER_LEFT:
            return Outcome.NOT_APPLIED
    return Outcome.NOT_APPLIED if REFUSED_STREAM.search(str(error)) else Outcome.UNKNOWN


def outcome_of_error(name: str) -> Outcome:
    """The same for a recorded exception, of which only the class name is left."""
    return Outcome.NOT_APPLIED if ("faultlab", name) in NEVER_LEFT else Outcome.UNKNOWN


def outcome_of_response(
    status: int,
    body: Any,
    *,
    fits: bool = True,
    provisional: bool = False,
    ok_declared: bool = False,
    rejects_before_effect: Container[int] = (),
    redirected_write: bool = False,
) -> Outcome:
    """Of a complete response whose body was decoded.

    `fits`: the body decodes and fits the tool's result. `provisional`: the tool says that its 2xx is a
    promise, not a result. `ok_declared`: the tool says that `ok: false` means "nothing was done".
    `rejects_before_effect`: statuses that the contract declares to precede every effect.
    """
    if status in rejects_before_effect:
        return Outcome.NOT_APPLIED
    if 200 <= status < 300:
        if not fits or provisional or status == 202 or redirected_write:
            return Outcome.UNKNOWN
        if ok_declared and isinstance(body, Mapping) and body.get("ok") is False:
            return Outcome.NOT_APPLIED
        return Outcome.APPLIED
    if 400 <= status < 500 and status not in UNSETTLED_STATUSES and not is_in_flight(status, body):
        return Outcome.NOT_APPLIED
    return Outcome.UNKNOWN


def is_in_flight(status: int | None, body: Any) -> bool:
    """A 409 that says "the first request under this key is still running" (Idempotency-Key draft-07 section 2.7)."""
    if status != 409 or not isinstance(body, Mapping):
        return False
    error = body.get("error")
    code = error.get("code") if isinstance(error, Mapping) else body.get("code")
    return code in (IN_FLIGHT, "idempotency_key_in_use")
