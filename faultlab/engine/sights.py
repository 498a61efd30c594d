"""Which versions of which things an answer showed: stored with the receipt, to be judged again."""

from collections.abc import Mapping
from typing import Any

from faultlab.core.answers import is_fresh
from faultlab.core.records import Call, Sight
from faultlab.core.tools import Tool
from faultlab.core.versions import version_of


def sights(tool: Tool, call: Call, status: int | None, body: Any, headers: Mapping[str, str]) -> tuple[Sight, ...]:
    """Of a complete 2xx; anything else shows nothing."""
    place = tool.versioned or tool.revised
    if place is None or status is None or status >= 300 or not isinstance(body, Mapping):
        return ()
    table, argument = place
    name = f"{table}/{call.args.get(argument)}"
    version = _number(body.get("revision")) if tool.revised else version_of(headers.get("etag", "").removeprefix("W/"))
    return (Sight(name, version, is_fresh(body, headers)),)


def _number(value: Any) -> int | None:
    return value if type(value) is int else None
