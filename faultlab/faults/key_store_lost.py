"""The server loses all its key records at once, as with a cache that was restarted."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from faultlab.core.actions import Admit, Commit, Fire, ForgetKeys, Reply, Script
from faultlab.core.contract import Contract
from faultlab.core.records import Call, ToolKind
from faultlab.core.tools import Tool
from faultlab.faults.fault import WRITES, Complaint, Counts, Named, Site


@dataclass(frozen=True, slots=True)
class KeyStoreLost(Named):
    """Just before the call that it strikes. What is executed again under an old key is the server's fault."""

    name: ClassVar[str] = "key_store_lost"
    phase: ClassVar[str] = "admission"
    counts: ClassVar[Counts] = "every"
    kinds: ClassVar[tuple[ToolKind, ...]] = WRITES

    def complaints(self, site: Site) -> Iterator[Complaint]:
        if (name := site.promising(lambda contract: contract.key is None)) is not None:
            yield "", f"{name} keeps no keys that could be lost: take it from contracts"

    def breaks(self, tool: Tool | None, contract: Contract) -> str | None:
        return None if contract.key is None else "a key is remembered for its window"

    def run(self, call: Call) -> Script:
        yield ForgetKeys()
        yield Fire()
        early: Reply | None = yield Admit(call)
        if early is None:
            early = yield Commit(call)
        return early
