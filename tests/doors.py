"""A toolset with what the shop has not: a call for a list of items, and a list in pages."""

from typing import Any

from faultlab.core.tools import Toolset, tool
from faultlab.core.world import FrozenWorld, World

PEOPLE = FrozenWorld({"people": {name: {"id": name} for name in ("ann", "bob", "cid", "dan")}, "doors": {}})


@tool(writes=True, identity=["door"], items="doors")
def open_doors(world: World, doors: list[dict[str, Any]]) -> dict[str, Any]:
    """Open doors."""
    for item in doors:
        world.put("doors", item["door"], {"open": True})
    return {"items": [{"status": 200, "body": {"door": item["door"]}} for item in doors]}


@tool()
def people(world: World, cursor: str = "") -> dict[str, Any]:
    """List people, two a page."""
    start = int(cursor or "0")
    rows = world.rows("people")
    return {"people": rows[start : start + 2], "next": str(start + 2) if start + 2 < len(rows) else None}


DOORS = Toolset.of("doors", open_doors, people)
