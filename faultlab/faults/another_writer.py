"""Somebody else writes between two calls of the caller."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from faultlab.core.actions import Admit, Answer, Commit, Fire, Meddle, Script
from faultlab.core.contract import Contract
from faultlab.core.records import Call
from faultlab.core.tools import Tool
from faultlab.faults.fault import Complaint, Named, Site


@dataclass(frozen=True, slots=True)
class AnotherWriter(Named):
    """A call of another client, done just before the call that is struck, or right after its answer."""

    name: ClassVar[str] = "another_writer"
    phase: ClassVar[str] = "interference"
    actor: ClassVar[Literal["interference", "human"]] = "interference"
    tool: str
    args: Mapping[str, Any] = field(default_factory=dict)
    when: Literal["before", "after"] = "before"
    reference: str | None = None
    key: str | None = None

    def complaints(self, site: Site) -> Iterator[Complaint]:
        tool = site.tools.get(self.tool)
        writing = ", ".join(name for name, item in site.tools.items() if item.kind == "write")
        if tool is None or tool.kind != "write":
            yield "tool", f"{self.tool!r} is not a write tool of this toolset; known: {writing}"
            return
        for name in self.args:
            if name not in tool.arguments:
                yield "args", f"unknown argument of {tool.name} {name!r}; known: {', '.join(tool.arguments)}"
        for name in tool.schema["required"]:
            if name not in self.args:
                yield "args", f"args lack {name!r}, which {tool.name} needs"

    def breaks(self, tool: Tool | None, contract: Contract) -> str | None:
        return "nobody else writes these objects" if contract.writers == "one" else None

    def run(self, call: Call) -> Script:
        meddle = Meddle(self.tool, self.args, self.actor, self.reference, self.key)
        if self.when == "before" and (yield meddle).status < 300:
            yield Fire()
        reply = yield Admit(call)
        if reply is None:
            reply = yield Commit(call)
        yield Answer(reply)
        if self.when == "after" and (yield meddle).status < 300:
            yield Fire()
        return None
