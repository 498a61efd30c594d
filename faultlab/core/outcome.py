"""What one receipt proves about one call. The default is UNKNOWN.

Sources: RFC 9110 section 9.2.2 (when a request may be repeated), section 15.3.3 (202 commits to nothing);
the exception trees of httpx and httpx2, by class name: no HTTP library is imported here.
"""

import re
from collections.abc import Container, Iterable, Mapping
from typing import Any

from faultlab.core.records import Outcome
from faultlab.core.refusals import IN_FLIGHT, meaning_of

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

MONITOR = "operation"
"""Member of a 202's body: the handle by which the server itself knows the request."""


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
    in_flight_status: int | None = None,
) -> Outcome:
    """Of a complete response whose body was decoded.

    `fits`: the body decodes and fits the tool's result. `provisional`: the tool says that its 2xx is a
    promise, not a result. `ok_declared`: the tool says that `ok: false` means "nothing was done".
    `rejects_before_effect`: statuses that the contract declares to precede every effect. `in_flight_status`: the one
    that it gives while the first request under the key still runs.
    """
    if status in rejects_before_effect:
        return Outcome.NOT_APPLIED
    if 200 <= status < 300:
        if status == 207 and fits and isinstance(body, Mapping) and "items" in body:
            return outcome_of_items(body["items"])
        if not fits or provisional or status == 202 or redirected_write:
            return Outcome.UNKNOWN
        if ok_declared and isinstance(body, Mapping) and body.get("ok") is False:
            return Outcome.NOT_APPLIED
        return Outcome.APPLIED
    if 400 <= status < 500 and status not in UNSETTLED_STATUSES and not is_in_flight(status, body, in_flight_status):
        return Outcome.NOT_APPLIED
    return Outcome.UNKNOWN


def outcome_of_items(items: Any) -> Outcome:
    """Of a 207 (RFC 4918 section 11.1): what its items agree on. Where they differ no single word is true."""
    each: set[Outcome] = set()
    for item in items if isinstance(items, Iterable) and not isinstance(items, str | Mapping) else ():
        status = item.get("status") if isinstance(item, Mapping) else None
        each.add(outcome_of_response(status, item.get("body")) if type(status) is int else Outcome.UNKNOWN)
    return each.pop() if len(each) == 1 else Outcome.UNKNOWN


def is_in_flight(status: int | None, body: Any, stated: int | None = None) -> bool:
    """An answer that says "the first request under this key is still running": mostly a 409 (Idempotency-Key
    draft-07 section 2.7), told from a conflict by the code in its body. The draft's own example has no code: where the
    contract has `stated` this status for it, a body that names no other reason leaves it open."""
    said = meaning_of(body)
    return status is not None and 400 <= status < 500 and (said == IN_FLIGHT or (said is None and status == stated))


def handle_of(status: int | None, body: Any) -> str | None:
    """The handle of an accepted request (RFC 9110 section 15.3.3: a 202 ought to point to a monitor)."""
    handle = body.get(MONITOR) if isinstance(body, Mapping) and status is not None and 200 <= status < 300 else None
    return handle if type(handle) is str and handle else None
