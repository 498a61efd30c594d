"""HTTP requests to tool calls, and replies to HTTP responses: bytes in, bytes out, no HTTP library.

`POST /tools/NAME` with a JSON object or a form serves every tool; a toolset's declared routes serve REST clients.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from json import JSONDecodeError, JSONEncoder
from typing import Any, NamedTuple
from urllib.parse import unquote

from faultlab.core.actions import Reply
from faultlab.core.contract import REFERENCE_FIELD, Contract
from faultlab.core.tools import Tool, Toolset
from faultlab.engine.errors import problem
from faultlab.transports.forms import FORM, flat, form
from faultlab.transports.keys import DEFAULT, RawHeaders, carried, key_of, unsupported
from faultlab.transports.parsing import parse, parse_whole

FewHeaders = tuple[tuple[bytes, bytes], ...]

TOOLS_PATH = "/tools/"
BODY_METHODS = frozenset({"POST", "PUT", "PATCH"})
"""Methods whose arguments stand in a JSON body; those of the others stand in the query."""


class Asked(NamedTuple):
    """A request as the arguments of `Session.begin`."""

    tool: str
    args: dict[str, Any]
    key: str | None = None
    reference: str | None = None
    if_match: str | None = None
    first_sent_s: float | None = None
    """When the client says that it first sent the request, in seconds since 1970."""


Told = tuple[str | None, str | None, str | None]
"""Idempotency-Key, If-Match and Content-Type."""


_ESCAPED = re.compile(r"%(?:2[DE]|3\d|4[1-9A-F]|5[\dAF]|6[1-9A-F]|7[\dAE])", re.IGNORECASE)
"""Characters that mean the same escaped and bare (RFC 3986 section 6.2.2.2): letters, digits, and - . _ ~."""
_encode = JSONEncoder(separators=(",", ":")).encode


def decode(
    method: str, target: bytes, headers: RawHeaders, body: bytes, toolset: Toolset, contract: Contract
) -> Asked | Reply:
    """The tool call that a request asks for, or the refusal of a request that asks for none.

    `target` is the path with its query, as it stands in the request line.
    """
    path, _, query = target.decode("latin-1").partition("?")
    if "%" in path:
        path = _ESCAPED.sub(lambda found: unquote(found[0]), path)
    from_path: dict[str, str] = {}
    if path.startswith(TOOLS_PATH):
        name = path[len(TOOLS_PATH) :]
        if name not in toolset.tools:
            known = ", ".join(toolset.tools)
            return problem(404, "no_such_tool", f"There is no tool {unquote(name)!r}. Tools: {known}.")
        if method != "POST":
            return _wrong_method(method, path, ["POST"])
    else:
        found = _routed(method, path, toolset)
        if isinstance(found, Reply):
            return found
        name, from_path = found
    tool = toolset.tools[name]
    told = scan(headers)
    if isinstance(told, Reply):
        return told
    key, if_match, content_type = told
    try:
        args = _body(content_type, body, tool) if method in BODY_METHODS else _query(query, tool)
        if isinstance(args, Reply):
            return args
        if from_path:
            args = {**args, **_typed(tool, from_path)}
    except ValueError as error:
        return problem(400, "invalid", f"An argument in the URL cannot be read: {error}.")
    rules = contract.key
    if tool.kind != "write":
        refusal = None if rules is None else unsupported(rules, headers)
        return Asked(name, args) if refusal is None else refusal
    reference = args.pop(REFERENCE_FIELD, None)
    if reference is not None and type(reference) is not str:
        return problem(400, "invalid", f"reference must be a string, not {_encode(reference)}.")
    if rules is not None and rules.carrier != DEFAULT:
        sent = carried(rules, headers, args)
        if isinstance(sent, Reply):
            return sent
        return Asked(name, args, sent.key, reference, if_match, sent.first_sent_s)
    if key is not None:
        meant = key_of(key, contract)
        if isinstance(meant, Reply):
            return meant
        key = meant
    return Asked(name, args, key, reference, if_match)


def scan(headers: RawHeaders) -> Told | Reply:
    """Pick the three headers that matter, in one pass and without building a mapping."""
    key = if_match = content_type = None
    for name, value in headers:
        size = len(name)
        if size == 15 and name.lower() == b"idempotency-key":
            if key is not None:
                return problem(400, "key_invalid", "The Idempotency-Key header stands twice.")
            key = value.decode("latin-1").strip()
        elif size == 8 and name.lower() == b"if-match":
            if_match = value.decode("latin-1").strip()
        elif size == 12 and name.lower() == b"content-type":
            content_type = value.decode("latin-1")
    return key, if_match, content_type


def _body(content_type: str | None, body: bytes, tool: Tool) -> dict[str, Any] | Reply:
    """The JSON object or form of a request; an empty body is an empty object."""
    if content_type is not None and content_type != "application/json":
        media = content_type.partition(";")[0].strip().lower()
        if media == FORM:
            return _form(body, tool)
        if media != "application/json" and not media.endswith("+json"):
            return problem(415, "not_json", f"The body is {media or 'of no type'}; send application/json or {FORM}.")
    if not body:
        return {}
    try:
        value = parse_whole(body)
    except UnicodeError as error:
        return problem(400, "not_json", f"The body is not UTF-8 text: {error}.")
    except ValueError as error:
        return problem(400, "not_json", f"The body is not JSON: {error}.")
    if type(value) is not dict:
        return problem(400, "not_an_object", f"The body must be a JSON object, not {_encode(value)[:40]}.")
    return value


def _query(text: str, tool: Tool) -> dict[str, Any]:
    return _typed(tool, flat(text))


def _form(body: bytes, tool: Tool) -> dict[str, Any] | Reply:
    try:
        return _typed(tool, form(body.decode()))
    except ValueError as error:
        return problem(400, "not_a_form", f"The form cannot be read: {error}.")


def _typed(tool: Tool, texts: Mapping[str, Any]) -> dict[str, Any]:
    """Texts from a path, query or form as the tool's schema wants them; the server refuses what does not fit.

    Raises ValueError for JSON that could not be written again.
    """
    properties = tool.schema["properties"]
    values: dict[str, Any] = {}
    for name, text in texts.items():
        try:
            values[name] = _value(text, properties.get(name, {}))
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
    return values


def _value(text: Any, schema: Mapping[str, Any]) -> Any:
    if "anyOf" in schema:  # an optional parameter: a text is never null
        schema = next((item for item in schema["anyOf"] if item.get("type") != "null"), {})
    if type(text) is list:
        return [_value(item, schema.get("items", {})) for item in text]
    if type(text) is dict:
        members = schema.get("properties", {})
        return {name: _value(item, members.get(name, {})) for name, item in text.items()}
    if schema.get("type") in ("integer", "number", "boolean", "array", "object"):
        try:
            return parse(text)
        except JSONDecodeError:
            return text
    return text


class Routed(NamedTuple):
    """The tool at a route, and the parameters that stand in its path."""

    tool: str
    values: dict[str, str]


def _routed(method: str, path: str, toolset: Toolset) -> Routed | Reply:
    """By the routes that the toolset declares. HEAD is asked as GET is, and answered without the body by what writes
    the answer (RFC 9110 section 9.3.2)."""
    wanted = "GET" if method == "HEAD" else method
    table = _table(tuple([(item.route, name) for name, item in toolset.tools.items() if item.route]))
    segments = path.split("/")
    others: list[str] = []
    for verb, template, name in table:
        values = _matched(template, segments)
        if values is None:
            continue
        if verb == wanted:
            return Routed(name, values)
        others.append(verb)
    if others:
        return _wrong_method(method, path, others)
    known = ", ".join(f"{verb} {'/'.join(template)}" for verb, template, _ in table)
    hint = f" Routes: {known}." if known else ""
    detail = f"Nothing is at {unquote(path)}. Every tool is at POST {TOOLS_PATH}NAME.{hint}"
    return problem(404, "no_such_path", detail)


@lru_cache(maxsize=256)
def _table(routes: tuple[tuple[tuple[str, str], str], ...]) -> list[tuple[str, list[str], str]]:
    """Method, path segments and tool of each route; those with fewer parameters first."""
    rows = [(method, path.split("/"), name) for (method, path), name in routes]
    return sorted(rows, key=lambda row: sum(segment.startswith("{") for segment in row[1]))


def _matched(template: list[str], segments: list[str]) -> dict[str, str] | None:
    if len(template) != len(segments):
        return None
    values: dict[str, str] = {}
    for wanted, segment in zip(template, segments, strict=True):
        if wanted.startswith("{"):
            if not segment:
                return None
            values[wanted[1:-1]] = unquote(segment)
        elif wanted != segment:
            return None
    return values


def _wrong_method(method: str, path: str, allowed: list[str]) -> Reply:
    listed = ", ".join(sorted(allowed))
    return problem(405, "wrong_method", f"{method} is not allowed at {path}; use {listed}.")._replace(
        headers={"allow": listed}
    )


class Encoded(NamedTuple):
    """A response as bytes."""

    status: int
    headers: FewHeaders
    body: bytes


def encode(reply: Reply) -> Encoded:
    """Raises TypeError or ValueError for a body that is not JSON: the tool function is wrong."""
    body = _encode(reply.body).encode()
    kind = b"application/json"
    if reply.status >= 400 and type(reply.body) is dict and "title" in reply.body:
        kind = b"application/problem+json"
    headers = framing(kind, len(body))
    if reply.headers:
        extra = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in reply.headers.items()]
        headers = (*headers, *extra)
    return Encoded(reply.status, headers, body)


@lru_cache(maxsize=1024)
def framing(kind: bytes, length: int) -> FewHeaders:
    """The two headers that every response has."""
    return (b"content-type", kind), (b"content-length", str(length).encode())
