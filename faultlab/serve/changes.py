"""What becomes of a session's plan after it was opened: faults are added, or all of them cleared."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from faultlab.engine.engine import Engine
from faultlab.faults.on_socket import missing_on_socket
from faultlab.faults.plan import Planned
from faultlab.matrix.added import added_fault
from faultlab.serve.order import Order, Unfit

CHANGES = "changes"
"""The member of a stored order that holds them."""


INSTEAD = {"fault": "take another", "symptom": "take timeout, or reset", "phase": "take before, or after"}
"""Of what a socket cannot show, by the member that asks for it."""


class Change(NamedTuple):
    """One change, and when it was made."""

    after: int
    """So many events had happened."""
    faults: Sequence[Mapping[str, Any]]
    """Entries of a plan; none: all faults are cleared."""


def fault_of(data: Any, order: Order, engine: Engine) -> Planned:
    """Raises Unfit for what is no fault, cannot strike there, or cannot be shown on a socket."""
    found = added_fault(data, order.group, order.twin)
    if not isinstance(found, Planned):
        raise Unfit([("/".join(map(str, place)), said) for place, said in found])
    if (why := missing_on_socket((found,), shared=True)) is not None:
        place = "fault" if found.name else "symptom" if found.symptom == "cancelled" else "phase"
        raise Unfit([(place, f"{why}; {INSTEAD[place]}")])
    if found.looks_back and engine.past is None:
        said = f"{found.name} shows the past, and this session keeps none: put the fault into the plan of its scenario"
        raise Unfit([("fault", said)])
    return found


def stored(data: Mapping[str, Any], changes: Sequence[Change]) -> dict[str, Any]:
    """An order with its changes, as one JSON object."""
    return {**data, CHANGES: [change._asdict() for change in changes]}


def restored(data: Mapping[str, Any]) -> tuple[dict[str, Any], list[Change]]:
    """The two apart."""
    order = {name: value for name, value in data.items() if name != CHANGES}
    return order, [Change(**item) for item in data.get(CHANGES, ())]
