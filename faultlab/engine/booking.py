"""What one executed write adds to the ledger: a line for each effect, and what it changed in a versioned row."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from faultlab.core.records import Call
from faultlab.core.tools import Tool
from faultlab.core.world import World


class Line(NamedTuple):
    """One effect of a call."""

    identity: str
    args: Mapping[str, Any]


class Change(NamedTuple):
    """What a write did to the row that it names."""

    object: str = ""
    before: Mapping[str, Any] = {}
    after: Mapping[str, Any] = {}


UNSEEN = Change()
"""Of a write to a row without versions."""


def lines(listed: str, call: Call, body: Mapping[str, Any]) -> Iterable[Line]:
    """Of a call whose argument `listed` is a list: one for each item that was answered with a 2xx of its own."""
    shared = {name: value for name, value in call.args.items() if name != listed}
    answers = body.get("items", ())
    for identity, item, answer in zip(call.items, call.args[listed], answers, strict=True):
        if 200 <= answer["status"] < 300:
            yield Line(identity, {**shared, **item})


def row_of(world: World, tool: Tool, call: Call) -> Mapping[str, Any] | None:
    """The versioned row that a write names, as it is now. Rows are replaced whole, so it stays as it is."""
    if tool.versioned is None:
        return None
    table, argument = tool.versioned
    row: Mapping[str, Any] | None = world.peek(table, str(call.args.get(argument)))
    return row


def change(world: World, tool: Tool, call: Call, before: Mapping[str, Any] | None) -> Change:
    """`before`: the row before the write."""
    if tool.versioned is None:
        return UNSEEN
    table, argument = tool.versioned
    was, now = before or {}, row_of(world, tool, call) or {}
    names = [name for name in {**was, **now} if was.get(name) != now.get(name)]
    return Change(
        f"{table}/{call.args.get(argument)}",
        {name: was.get(name) for name in names},
        {name: now.get(name) for name in names},
    )
