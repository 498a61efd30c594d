"""What becomes of a session's plan after it was opened: faults are added, or all of them cleared."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from faultlab.engine.engine import Engine
from faultlab.faults.on_socket import missing_on_socket
from faultlab.faults.plan import Planned
from faultlab.matrix.added import added_fault
from faultlab.serve.order import Order, Unfit

CHANGES, ADDRESS = "changes", "address"
"""Members of what is stored that are not the order's own."""
INSTEAD = {"fault": "take another", "symptom": "take timeout, or reset", "phase": "take before, or after"}
"""Of what a socket cannot show, by the member that asks for it."""


class Change(NamedTuple):
    """One change, and when it was made."""

    after: int
    """So many events had happened."""
    faults: Sequence[Mapping[str, Any]]
    """Entries of a plan; none: all faults are cleared."""


def fault_of(data: Any, order: Order, engine: Engine, *, shared: bool) -> Planned:
    """Raises Unfit for what is no fault, cannot strike there, or cannot be shown on a socket.

    `shared`: the session has no port of its own.
    """
    found = added_fault(data, order.group, order.twin)
    if not isinstance(found, Planned):
        raise Unfit([("/".join(map(str, place)), said) for place, said in found])
    if (why := missing_on_socket((found,), shared=shared)) is not None:
        place = "fault" if found.name else "symptom" if found.symptom == "cancelled" else "phase"
        raise Unfit([(place, f"{why}; {INSTEAD[place]}")])
    if found.looks_back and engine.past is None:
        said = f"{found.name} shows the past, and this session keeps none: put the fault into the plan of its scenario"
        raise Unfit([("fault", said)])
    return found


class Stored(NamedTuple):
    """What is stored in the place of an order."""

    order: Mapping[str, Any]
    changes: Sequence[Change] = ()
    address: tuple[str, int] | None = None
    """The session's own."""

    def as_json(self) -> dict[str, Any]:
        return {**self.order, CHANGES: [change._asdict() for change in self.changes], ADDRESS: self.address}

    @staticmethod
    def of(data: Mapping[str, Any]) -> "Stored":
        order = {name: value for name, value in data.items() if name not in (CHANGES, ADDRESS)}
        address = data.get(ADDRESS)
        changes = [Change(**item) for item in data.get(CHANGES, ())]
        return Stored(order, changes, None if address is None else (address[0], address[1]))
