"""The caller's own process dies around a call; it is started again with what was durable."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from faultlab.core.actions import Admit, Commit, Died, Fire, Script
from faultlab.core.records import Call, ToolKind
from faultlab.faults.fault import WRITES, Named


@dataclass(frozen=True, slots=True)
class ClientCrash(Named):
    """`before_send`: nothing left it. `after_dispatch` and `after_receipt`: the effect is there, and it never acts on
    the receipt. The symptoms crash_kept and crash_lost are the same for every twin of a lost receipt."""

    name: ClassVar[str] = "client_crash"
    phase: ClassVar[str] = "crash"
    kinds: ClassVar[tuple[ToolKind, ...]] = WRITES
    when: Literal["before_send", "after_dispatch", "after_receipt"] = "after_dispatch"
    journal: Literal["kept", "lost"] = "kept"

    @property
    def look(self) -> str:
        return f"crash_{self.journal}"

    def run(self, call: Call) -> Script:
        if self.when != "before_send" and (yield Admit(call)) is None:
            yield Commit(call)
        yield Fire()
        return Died(self.when, self.journal)
