"""faults: what a real socket can show of a plan. It can close its port, which then refuses everybody; it cannot refuse
one connection and not another, since a connection does not say which call it is for."""

from faultlab.faults.fault import Named
from faultlab.faults.outage import Outage
from faultlab.faults.plan import EVERY_TOOL, Plan, Planned
from faultlab.faults.server_crash import ServerCrash

UNCONNECTED = frozenset({"refused", "connect_timeout"})


def closes_port(planned: Planned) -> bool:
    """Whether nobody is listened to while it lasts: an outage of every tool, by the clock."""
    return (
        planned.name == Outage.name
        and planned.tool == EVERY_TOOL
        and not planned.match
        and planned.during_ns is not None
    )


def wants_own_port(plan: Plan) -> bool:
    """Whether a port has to be closed for a plan, for a time."""
    return any(closes_port(planned) or planned.name == ServerCrash.name for planned in plan)


def missing_on_socket(plan: Plan, *, shared: bool) -> str | None:
    """Why a socket cannot show a plan, for a user to read; None: it can. `shared`: other sessions have the port too."""
    for planned in plan:
        made = planned.fault()
        look = made.look if isinstance(made, Named) else planned.symptom
        if look == "cancelled":
            return "a server cannot cancel a call for its caller"
        if closes_port(planned):
            if shared:
                return "a port that several sessions share cannot be closed for one of them"
        elif made.phase == "connect" or look in UNCONNECTED:
            return "a port cannot refuse one call and take another"
    return None
