"""client: requests and responses of httpx and httpx2, as the journal keeps them and as they leave again."""

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from faultlab.client.http_headers import again, carried
from faultlab.client.result import Result
from faultlab.core.contract import KeyRules
from faultlab.core.records import Outcome

PASS = "faultlab.pass"  # noqa: S105 - not a password
"""Request extension: it belongs to an operation already. Its value: the secrets that it must have, by name."""
SOURCE = "faultlab.result"
"""Response extension: the Result of the operation."""
TRANSFER = frozenset({"connection", "content-encoding", "content-length", "set-cookie", "transfer-encoding"})
"""Headers that speak of one transfer: they do not stay with a stored response."""


def packed(response: Any) -> dict[str, Any]:
    """What the journal keeps of a response: enough to give it again."""
    headers = {name: value for name, value in response.headers.items() if name.lower() not in TRANSFER}
    return {"status": response.status_code, "headers": headers, "text": as_text(response.content)}


def rebuilt(library: Any, request: Any, result: Result) -> Any | None:
    """The response that the journal holds; where a query proved the operation, a 200 with what it found. None: there
    was no response."""
    value, marked = result.value, {"request": request, "extensions": {SOURCE: result}}
    if isinstance(value, dict) and value.keys() == {"status", "headers", "text"}:
        return library.Response(value["status"], headers=value["headers"], content=as_bytes(value["text"]), **marked)
    if result.outcome is Outcome.APPLIED:
        return library.Response(200, json=value, **marked)
    last = next((item for item in reversed(result.evidence) if "." not in item.tool), None)
    if last is None or not last.said.isdigit():
        return None
    body = {"text": last.body} if isinstance(last.body, str) else {"json": last.body}
    return library.Response(int(last.said), **body, **marked)


def as_text(content: bytes) -> str:
    """Bytes in a JSON string: as they are where they are UTF-8, else in base 64."""
    try:
        return "text:" + content.decode()
    except UnicodeDecodeError:
        return "base64:" + base64.b64encode(content).decode()


def as_bytes(text: str) -> bytes:
    """The inverse of `as_text`."""
    form, _, rest = text.partition(":")
    return base64.b64decode(rest) if form == "base64" else rest.encode()


class First(NamedTuple):
    """What the journal holds of a request as it was first sent, beside method and URL."""

    body: str
    content_type: str
    headers: Mapping[str, str] | None = None
    """None: it was written by a version that kept none."""
    secrets: Sequence[str] = ()


def as_first(request: Any, sent: First) -> Any:
    """The request with the body that the journal holds, which is what the server knows its key by (an equal upload made
    anew has another boundary), and with the headers: what came first went to their account."""
    content, at_hand = as_bytes(sent.body), carried(request)
    if content == request.content and sent.headers in (None, at_hand):
        return request
    headers = request.headers.copy()
    for name in () if sent.headers is None else at_hand:
        del headers[name]
    headers.update(again(sent.headers))
    headers.pop("transfer-encoding", None)
    headers["content-length"] = str(len(content))
    if sent.content_type:
        headers["content-type"] = sent.content_type
    return type(request)(request.method, request.url, headers=headers, content=content, extensions=request.extensions)


def keyed(request: Any, rules: KeyRules | None, key: str | None) -> Any:
    """A copy of a request, with the key where the contract wants it: in a header, or in a JSON body."""
    content, headers = request.content, request.headers.copy()
    headers.pop("transfer-encoding", None)  # the body is whole here and has a length: both is forbidden (RFC 9112, 6.2)
    if rules is not None and key is not None:
        place, _, name = rules.carrier.partition(" ")
        if place == "header":
            headers[name] = f'"{key}"' if rules.quoted == "required" else key
        else:
            content = json.dumps({**json.loads(content or b"{}"), name: key}).encode()
            headers["content-length"] = str(len(content))
    return type(request)(request.method, request.url, headers=headers, content=content, extensions=request.extensions)


def request_again(http: Any, rules: KeyRules | None, method: str, url: str, key: str | None, sent: First) -> Any:
    """The request of an earlier life, with what the client at hand adds."""
    content_type = {"content-type": sent.content_type} if sent.content_type else {}
    request = http.build_request(method, url, content=as_bytes(sent.body), headers=content_type)
    request = as_first(request, sent)
    request.extensions[PASS] = list(sent.secrets)
    return keyed(request, rules, key)
