"""A small toolset on a bare server, with every call and every time given by hand."""

from typing import Any

from faultlab.core.actions import Reply
from faultlab.core.clock import ns
from faultlab.core.contract import Contract
from faultlab.core.profiles import PROFILES
from faultlab.core.records import Call
from faultlab.core.tools import Refused, Tool, Toolset, tool
from faultlab.core.world import FrozenWorld, World
from faultlab.engine.handles import with_contract
from faultlab.engine.server import Server

EMPTY = FrozenWorld({"things": {}})


@tool(writes=True, identity=["name"])
def make(world: World, name: str, size: int = 1, tags: list[str] | None = None) -> dict[str, Any]:
    """Make a thing; 0 is refused as a card is declined, 13 breaks the tool."""
    made = {"id": world.new_id("th"), "name": name, "size": size, "tags": tags or []}
    world.put("things", made["id"], made)
    if size == 0:
        raise Refused(402, "declined", "size 0")
    if size == 13:
        raise Refused(500, "broken", "size 13")
    return made


@tool()
def things(world: World, limit: int | None = None) -> dict[str, Any]:
    """All things."""
    return {"things": world.rows("things")[:limit]}


THINGS = Toolset.of("things", make, things)


class Wire:
    """Calls by hand, at times by hand."""

    def __init__(self, contract: str | Contract, toolset: Toolset = THINGS) -> None:
        terms = PROFILES[contract] if isinstance(contract, str) else contract
        self.server = Server(with_contract(toolset, terms), terms, World(EMPTY), 7)
        self.sent = 0

    def call(self, at_s: float, what: str, key: str | None = None, reference: str | None = None, **args: Any) -> Call:
        self.sent += 1
        declared: Tool = self.server.toolset.tools[what]
        if "reference" in declared.arguments:
            args["reference"], reference = reference, None
        made = Call(self.sent, ns(at_s), what, declared.kind, args, str(args.get("name", "")), key, reference)
        if made.kind == "write":
            self.server.number(made)
        return made

    def send(self, at_s: float, key: str | None = None, **args: Any) -> Reply:
        return self.server.forward(self.call(at_s, "make", key, **{"name": "a", **args}), ns(at_s))

    def ask(self, at_s: float, what: str, **args: Any) -> Reply:
        return self.server.forward(self.call(at_s, what, **args), ns(at_s))

    @property
    def effects(self) -> int:
        return len(self.server.ledger)
