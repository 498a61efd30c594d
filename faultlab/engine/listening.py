"""engine: when nobody listens on a port that belongs to one session: its server is down, or there is an outage."""

from typing import NamedTuple

from faultlab.engine.engine import Engine
from faultlab.faults.on_socket import closes_port
from faultlab.faults.plan import Planned


class Silent(NamedTuple):
    """Nobody listens."""

    until_ns: int
    planned: Planned | None = None
    """The outage; None: the server has crashed and is not back."""

    @property
    def timing_out(self) -> bool:
        """Whoever connects is not refused, and hears nothing."""
        return self.planned is not None and self.planned.given.get("symptom") == "connect_timeout"


def silent_at(engine: Engine, now_ns: int) -> Silent | None:
    """Why nobody listens at that moment, and for how long; None: somebody does."""
    if now_ns < engine.down_until_ns:
        return Silent(engine.down_until_ns)
    for planned in engine.plan:
        if closes_port(planned):
            assert planned.during_ns is not None
            begin_ns, end_ns = planned.during_ns
            if begin_ns <= now_ns < end_ns:
                return Silent(end_ns, planned)
    return None


def next_silence_ns(engine: Engine, now_ns: int) -> int | None:
    """When the next outage begins; None: none is planned."""
    begins = [planned.during_ns[0] for planned in engine.plan if closes_port(planned) and planned.during_ns]
    return min((begin_ns for begin_ns in begins if begin_ns > now_ns), default=None)
