"""What a request says, as arguments: the parameters of path and query, and the members of the body."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from faultlab.core.canonical import canonical
from faultlab.core.multipart import steady
from faultlab.transports.forms import FORM, flat, form
from faultlab.transports.parsing import parse


def gathered(path: Mapping[str, Any], query: str, body: bytes, content_type: str | None) -> dict[str, Any]:
    """Members of the body have their own names. A parameter whose name is taken is written as it stands in a URL:
    `?id` in the query, `{id}` in the path where it is another value."""
    members = _members(body, content_type or "")
    placed = {name if members.get(name, value) == value else f"{{{name}}}": value for name, value in path.items()}
    asked = {f"?{name}" if name in members or name in path else name: value for name, value in flat(query).items()}
    return {**placed, **asked, **members}


def readable(path: str) -> str:
    """A path without escapes; but what would be another path without them (a slash in a segment) stays escaped."""
    return "/".join([unquote(part).replace("%", "%25").replace("/", "%2F") for part in path.split("/")])


def _members(body: bytes, content_type: str) -> dict[str, Any]:
    """The members of a JSON object or a form; any other body as one argument `body`."""
    if not body:
        return {}
    body = steady(content_type, body)
    try:
        text = body.decode()
        value = form(text) if content_type.partition(";")[0].strip().lower() == FORM else parse(text)
    except ValueError:
        return {"body": body.decode("latin-1")}
    return value if type(value) is dict else {"body": canonical(value)}
