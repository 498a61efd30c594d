"""client: which headers of a request stay with its operation: all that say what and where, and no secret."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

OWN = frozenset(
    {
        *("accept-encoding", "connection", "content-length", "content-type", "expect", "keep-alive", "te", "trailer"),
        *("transfer-encoding", "upgrade", "user-agent"),
    }
)
"""They speak of one transfer or of the program that sends; the content type is kept beside the body."""
COOKIE, OTHER = "the cookie ", " (another one than its client's)"
"""They name a secret among several of one header."""
_SECRET = re.compile("auth|cookie|credential|csrf|jwt|key|passw|secret|session|signature|token|xsrf")
_PLACE = re.compile(r"account|organi[sz]ation|\borg\b|project|tenant|workspace|on-behalf-of|impersonat")


def carried(request: Any) -> dict[str, str]:
    """The headers that are sent again as they were, whoever sends: the account, a condition, a version."""
    return {name: value for name, value in _all(request).items() if not _is_secret(name, value)}


def secrets(request: Any, http: Any) -> list[str]:
    """The names of those that are not kept: they come from the client at hand. `http`: the client that sends now. What
    a request has in the place of its client's own, no client can give; a cookie out of its jar is the server's, and may
    mean nothing in another life."""
    found = [name for name, value in _all(request).items() if _is_secret(name, value)]
    jar = {cookie.name for cookie in http.cookies.jar}
    given = [f"{COOKIE}{name}" for name in _cookies(request) if name not in jar]
    own = {name: http.headers.get(name, request.headers[name]) == request.headers[name] for name in found}
    return given + [name if own[name] else f"{name}{OTHER}" for name in found if name != "cookie"]


def place(headers: Mapping[str, str]) -> list[tuple[str, str]]:
    """Of the headers that are carried, those by which equal requests are different operations: whose account it is."""
    return sorted((name, value) for name, value in headers.items() if _PLACE.search(name))


def again(headers: Mapping[str, str] | None) -> dict[bytes, bytes]:
    """The inverse of `carried`, for a request. None: an earlier version kept none."""
    return {name.encode("latin-1"): value.encode("latin-1") for name, value in (headers or {}).items()}


def missing(request: Any, names: Iterable[str]) -> list[str]:
    """Of the secrets that its operation was first sent with, those that a request leaves without."""
    there = {*(f"{COOKIE}{name}" for name in _cookies(request)), *(name.lower() for name in request.headers)}
    return [name for name in names if name not in there]


def _cookies(request: Any) -> list[str]:
    pairs = request.headers.get("cookie", "").split(";")
    return [name.strip() for name, sign, _ in (pair.partition("=") for pair in pairs) if sign]


def _all(request: Any) -> dict[str, str]:
    """As bytes in a text each: whatever their encoding, they leave again as they came. Repeated ones are joined (RFC
    9110 section 5.3)."""
    found: dict[str, str] = {}
    for raw_name, raw_value in request.headers.raw:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        if name not in OWN and not (name == "host" and raw_value == request.url.netloc):
            found[name] = f"{found[name]}, {value}" if name in found else value
    return found


def _is_secret(name: str, value: str) -> bool:
    from faultlab.records.scrub import scrub

    return (_SECRET.search(name) is not None and "idempotency" not in name) or scrub(value) != value
