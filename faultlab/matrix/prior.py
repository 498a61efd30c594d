"""What happened before an attempt began: calls of the agent's earlier life, and of other clients."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from faultlab.core.actions import Meddle
from faultlab.core.clock import VirtualClock, ns
from faultlab.core.contract import Contract
from faultlab.core.handover import sent_record
from faultlab.core.records import Note
from faultlab.engine.session import Session
from faultlab.faults.plan import Planned
from faultlab.transports.wait import wait


@dataclass(frozen=True, slots=True)
class PriorCall:
    """One call that was made before."""

    tool: str
    args: Mapping[str, Any]
    at_ns: int
    """Below 0: the attempt begins at 0."""
    key: str | None = None
    reference: str | None = None
    by: Literal["agent", "other"] = "agent"
    planned: Planned | None = None
    """What befell it; None: it was answered. A late one lands `late_ns` after the attempt began."""
    record: Literal["kept", "lost"] = "kept"
    """Whether the agent's store still holds that it was sent."""

    def settled(self, contract: Contract) -> "PriorCall":
        """With the landing counted from its own sending, and no later than the contract's settle time allows."""
        if self.planned is None:
            return self
        late_ns = self.planned.late_ns - self.at_ns
        if contract.settle_s is not None:
            late_ns = min(late_ns, ns(contract.settle_s))
        return replace(self, planned=replace(self.planned, late_ns=late_ns))


Prior = tuple[PriorCall, ...]


def prior_of(items: Iterable[Mapping[str, Any]], late_ns: int, wake: bool) -> Prior:
    """From the entries of a scenario file."""
    return tuple(
        PriorCall(
            item["tool"],
            item["args"],
            ns(item["at_s"]),
            item.get("key"),
            item.get("reference"),
            item.get("by", "agent"),
            _befell(item, late_ns, wake),
            item.get("record", "kept"),
        )
        for item in items
    )


def _befell(item: Mapping[str, Any], late_ns: int, wake: bool) -> Planned | None:
    if "fault" not in item:
        return None
    return Planned(item["tool"], item["fault"], required=False, late_ns=late_ns, wake=wake)


def happen(session: Session, prior: Prior) -> dict[str, Any]:
    """Make the calls, each at its own time, and leave the clock at 0. Gives what the agent's store holds of them."""
    store: dict[str, Any] = {}
    server = session.engine.server
    session.count = -sum(item.by == "agent" for item in prior) - 1
    for item in prior:
        session.clock = VirtualClock(item.at_ns)
        session.engine.catch_up(item.at_ns)
        if item.by == "other":
            server.meddle(Meddle(item.tool, item.args, "interference", item.reference, item.key), item.at_ns)
            continue
        place = len(session.events)
        ticket = session.begin(item.tool, item.args, key=item.key, reference=item.reference, planned=item.planned)
        if item.record == "kept" and ticket.call.kind == "write":
            name, record = sent_record(ticket.call)
            store.setdefault(name, record)
        elif ticket.call.kind == "write":
            # The history shows a caller's side: of this call the caller knows no more under which handles it went.
            session.events[place] = ticket.call._replace(key=None, reference=None)
        wait(session, ticket, session.patience_ns)
    session.engine.catch_up(0)
    session.clock, session.count, session.cost = VirtualClock(), 0, 0.0
    session.events += [Note(0, "store", name, record) for name, record in store.items()]
    return store
