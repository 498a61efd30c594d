"""What a read's body lists, whatever the tool calls it."""

from collections.abc import Callable, Mapping
from typing import Any

from faultlab.core.actions import Reply
from faultlab.core.canonical import canonical

Entries = list[Any]


def relisted(reply: Reply, change: Callable[[Entries], Entries], **members: Any) -> Reply:
    """The answer with each list in its body changed, and members added. A refusal stays as it is."""
    if reply.status >= 300 or not isinstance(reply.body, Mapping):
        return reply
    body = {name: change(value) if isinstance(value, list) else value for name, value in reply.body.items()}
    return reply._replace(body={**body, **members})


def name_of(entry: Any) -> str:
    """What an entry is known by: its id, else all of it."""
    return str(entry["id"]) if isinstance(entry, Mapping) and "id" in entry else canonical(entry)


def lists_of(reply: Reply) -> dict[str, Entries]:
    """The lists in a body, by member."""
    body = reply.body if isinstance(reply.body, Mapping) else {}
    return {name: value for name, value in body.items() if isinstance(value, list)}
