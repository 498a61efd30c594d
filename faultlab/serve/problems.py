"""Refusals of the admin port as problem details (RFC 9457)."""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.responses import JSONResponse

from faultlab.transports.wire.responses import reason

PROBLEM = "application/problem+json"


def refusal(
    status: int,
    detail: str,
    errors: Sequence[Mapping[str, Any]] = (),
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """`errors`: one entry for each thing that is wrong, with the place that it is about."""
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": reason(status),
        "status": status,
        "detail": detail,
    }
    if errors:
        body["errors"] = list(errors)
    return JSONResponse(body, status, headers, PROBLEM)
