"""Every fault by phase, every symptom a phase can have, and the twins that a plan expands to."""

from collections.abc import Callable, Mapping

from faultlab.faults.after import After
from faultlab.faults.before import Before
from faultlab.faults.connect import Connect
from faultlab.faults.fault import Fault, Symptom
from faultlab.faults.late_network import LateNetwork
from faultlab.faults.late_server import LateServer
from faultlab.faults.symptoms import CONNECTING, LOSING
from faultlab.faults.torn import Torn

PHASES: Mapping[str, type[Fault]] = {
    "connect": Connect,
    "before": Before,
    "after": After,
    "late_network": LateNetwork,
    "late_server": LateServer,
    "torn": Torn,
}

ALLOWED: Mapping[str, Mapping[str, Symptom]] = {
    "connect": CONNECTING,
    "before": LOSING,
    "after": LOSING,
    "late_network": LOSING,
    "late_server": LOSING,
    "torn": LOSING,
}
"""Phase -> the symptoms that it can have; a pair that is not here is a load error."""

TWINS: Mapping[str, str] = {
    "never": "before",
    "committed": "after",
    "late_network": "late_network",
    "late_server": "late_server",
}
"""Twin -> the phase that makes it true. All of them look alike to the caller."""

FAULT_NAMES: Mapping[str, str] = {fault.name: phase for phase, fault in PHASES.items()}


def build(phase: str, symptom: str, late_ns: int, wake: bool) -> Fault:
    """A fault ready to run. `late_ns`: when a late one lands at the latest, counted from its call."""
    look = ALLOWED[phase][symptom]
    if phase == "late_network":
        return LateNetwork(look, late_ns, wake)
    if phase == "late_server":
        return LateServer(look, late_ns, wake)
    plain: Mapping[str, Callable[[Symptom], Fault]] = {
        "connect": Connect,
        "before": Before,
        "after": After,
        "torn": Torn,
    }
    return plain[phase](look)
