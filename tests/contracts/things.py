"""The toolset that the vectors are played on: things in regions, and one versioned page."""

from typing import Any

from faultlab.core.tools import Refused, Toolset, tool
from faultlab.core.world import FrozenWorld, World

WORLD = FrozenWorld({"things": {}, "pages": {"p": {"text": "old"}}})


@tool(writes=True, identity=["name"], scope="region")
def make(world: World, name: str, size: int = 1, region: str = "r1") -> dict[str, Any]:
    """Make a thing. Size 0 is declined, as a card is."""
    thing_id = world.new_id("th")
    made = {
        "id": thing_id,
        "name": name,
        "size": size,
        "region": region,
        "state": "running",
        "reference": world.reference,
    }
    world.put("things", thing_id, made)
    world.put("latest", name, {"size": size})
    if size == 0:
        raise Refused(402, "declined", "size 0")
    return made


@tool(scope="region", reveals={"make": lambda body: [item["reference"] for item in body["things"]]})
def things(world: World, name: str, region: str = "r1") -> dict[str, Any]:
    """The things of one name in one region, each with its reference."""
    return {"things": world.rows("things", name=name, region=region), "complete": True}


@tool(writes=True, identity=["name"])
def resize(world: World, name: str, size: int) -> dict[str, Any]:
    """Another size for all things of a name."""
    return changed(world, name, size=size)


@tool(writes=True, identity=["name"])
def terminate(world: World, name: str) -> dict[str, Any]:
    """The end of all things of a name; they stay on the list for a while."""
    return changed(world, name, state="terminated")


def changed(world: World, name: str, **members: Any) -> dict[str, Any]:
    rows = world.rows("things", name=name)
    for row in rows:
        world.update("things", row["id"], **members)
    return {"changed": len(rows)}


@tool(versioned="pages/page_id", reveals={"write_page": None})
def read_page(world: World, page_id: str) -> dict[str, Any]:
    """A page, with its entity tag."""
    return {"page_id": page_id, **(world.get("pages", page_id) or {})}


@tool(writes=True, identity=["page_id"], versioned="pages/page_id", depends_on=["text"])
def write_page(world: World, page_id: str, text: str) -> dict[str, Any]:
    """Replace a page."""
    world.put("pages", page_id, {"text": text})
    return {"page_id": page_id, "text": text}


THINGS = Toolset.of("things", make, things, resize, terminate, read_page, write_page)
