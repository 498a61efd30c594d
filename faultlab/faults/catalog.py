"""Every fault by phase, every symptom a phase can have, the twins that a plan expands to, and the faults by name."""

from collections.abc import Callable, Mapping
from typing import Any

from faultlab.faults.accepted import Accepted
from faultlab.faults.after import After
from faultlab.faults.another_writer import AnotherWriter
from faultlab.faults.approval_withdrawn import ApprovalWithdrawn
from faultlab.faults.artifact_changed import ArtifactChanged
from faultlab.faults.before import Before
from faultlab.faults.client_crash import ClientCrash
from faultlab.faults.connect import Connect
from faultlab.faults.crossed_receipt import CrossedReceipt
from faultlab.faults.dribble import DribbledAnswer
from faultlab.faults.duplicate_delivery import DuplicateDelivery
from faultlab.faults.equal_effect import EqualEffect
from faultlab.faults.fault import Fault, Named, Symptom
from faultlab.faults.forbidden import Forbidden
from faultlab.faults.in_band_error import InBandError
from faultlab.faults.invalid import Invalid
from faultlab.faults.key_store_lost import KeyStoreLost
from faultlab.faults.lagging_list import LaggingList
from faultlab.faults.lagging_read import LaggingRead
from faultlab.faults.late_network import LateNetwork
from faultlab.faults.late_server import LateServer
from faultlab.faults.memory_loss import MemoryLoss
from faultlab.faults.middlebox_resend import MiddleboxResend
from faultlab.faults.misleading_text import MisleadingText
from faultlab.faults.missing_row import MissingRow
from faultlab.faults.not_found_while_running import NotFoundWhileRunning
from faultlab.faults.outage import Outage
from faultlab.faults.partial import Partial
from faultlab.faults.phantom import Phantom
from faultlab.faults.quota import Quota
from faultlab.faults.reordering import Reordering
from faultlab.faults.server_crash import ServerCrash
from faultlab.faults.server_error import ServerError
from faultlab.faults.shifting_pages import ShiftingPages
from faultlab.faults.slow import SlowAnswer
from faultlab.faults.stale_page import StalePage
from faultlab.faults.status_lags import StatusLags
from faultlab.faults.status_unavailable import StatusUnavailable
from faultlab.faults.symptoms import CONNECTING, CRASHING, DELIVERING, LOSING
from faultlab.faults.throttled import Throttled
from faultlab.faults.torn import Torn
from faultlab.faults.truncated_list import TruncatedList
from faultlab.faults.unauthenticated import Unauthenticated
from faultlab.faults.unavailable import Unavailable

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
    "before": {**LOSING, **CRASHING},
    "after": {**LOSING, **CRASHING, **DELIVERING},
    "late_network": {**LOSING, **CRASHING},
    "late_server": {**LOSING, **CRASHING},
    "torn": {**LOSING, **CRASHING, **DELIVERING},
}
"""Phase -> the symptoms that it can have; a pair that is not here is a load error."""

TWINS: Mapping[str, str] = {
    "never": "before",
    "committed": "after",
    "late_network": "late_network",
    "late_server": "late_server",
}
"""Twin -> the phase that makes it true. All of them look alike to the caller."""

NAMED: Mapping[str, type[Named]] = {
    "throttled": Throttled,
    "unavailable": Unavailable,
    "unauthenticated": Unauthenticated,
    "forbidden": Forbidden,
    "invalid": Invalid,
    "quota": Quota,
    "outage": Outage,
    "key_store_lost": KeyStoreLost,
    "stale_page": StalePage,
    "lagging_list": LaggingList,
    "truncated_list": TruncatedList,
    "missing_row": MissingRow,
    "shifting_pages": ShiftingPages,
    "status_unavailable": StatusUnavailable,
    "status_lags": StatusLags,
    "not_found_while_running": NotFoundWhileRunning,
    "phantom": Phantom,
    "lagging_read": LaggingRead,
    "in_band_error": InBandError,
    "misleading_text": MisleadingText,
    "another_writer": AnotherWriter,
    "equal_effect": EqualEffect,
    "approval_withdrawn": ApprovalWithdrawn,
    "artifact_changed": ArtifactChanged,
    "duplicate_delivery": DuplicateDelivery,
    "reordering": Reordering,
    "middlebox_resend": MiddleboxResend,
    "crossed_receipt": CrossedReceipt,
    "partial": Partial,
    "slow": SlowAnswer,
    "dribble": DribbledAnswer,
    "accepted": Accepted,
    "server_crash": ServerCrash,
    "server_error": ServerError,
    "client_crash": ClientCrash,
    "memory_loss": MemoryLoss,
}
"""The faults that a plan asks for by name, `fault: NAME`, with their parameters in `with`."""

FAULT_NAMES: Mapping[str, str] = {
    **{fault.name: phase for phase, fault in PHASES.items()},
    **{name: fault.phase for name, fault in NAMED.items()},
}
"""Every fault's name -> its phase."""


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


def named(name: str, given: Mapping[str, Any]) -> Named:
    """A fault by name with its parameters, which the loader has checked."""
    return NAMED[name](**given)
