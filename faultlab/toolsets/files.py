"""Lists that come in pages, and files to write results to.

World: `lists` {name: {rows: [...], page_size}}, `files` {name: {content, reference}}. A list cannot be changed.

What tells of an effect: `read_file` shows the file as it was last written, with the reference given with it.
"""

from typing import Any

from faultlab.core.tools import Refused, Toolset, tool
from faultlab.core.world import World


@tool(route="GET /v1/lists/{name}")
def read_list(world: World, name: str, cursor: str = "") -> dict[str, Any]:
    """Read one page of a list, the first without a cursor. `next` is the cursor of the page after it; null: there is
    none, and only then is `complete` true."""
    row = world.get("lists", name)
    if row is None:
        raise Refused(404, "not_found", f"there is no list {name}")
    if not cursor.isascii() or not (cursor or "0").isdigit():
        raise Refused(400, "cursor", f"{cursor!r} is not a cursor of this list")
    start = int(cursor or "0")
    end = start + row.get("page_size", 100)
    more = end < len(row["rows"])
    return {"rows": row["rows"][start:end], "next": str(end) if more else None, "complete": not more}


@tool(
    reveals={"write_file": lambda body: [body["reference"]] if body["content"] is not None else []},
    route="GET /v1/files/{name}",
)
def read_file(world: World, name: str) -> dict[str, Any]:
    """Read a file; its content is null where nothing was written."""
    row = world.get("files", name) or {"content": None, "reference": None}
    return {"name": name, **row}


@tool(writes=True, identity=["name"], idempotent=True, route="PUT /v1/files/{name}")
def write_file(world: World, name: str, content: dict[str, Any]) -> dict[str, Any]:
    """Write a file, whole: what it held before is gone."""
    if world.get("lists", name) is not None:
        raise Refused(409, "is_a_list", f"{name} is a list, which is not written to")
    world.put("files", name, {"content": content, "reference": world.reference})
    return {"name": name, "content": content, "reference": world.reference}


FILES = Toolset.of("files", read_list, read_file, write_file)
