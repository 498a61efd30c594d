"""What a fault's name stands for where code asks for it: `lost_receipt` for all of its twins, others for themselves."""

from collections.abc import Mapping

from faultlab.core.contract import Contract
from faultlab.core.errors import BadInput
from faultlab.faults.catalog import ALLOWED, NAMED, PHASES, TWINS
from faultlab.faults.symptoms import CRASHING, FUNCTION_ONLY

LATE = ("late_network", "late_server")
"""The two ways of being late."""

TWINNED = "lost_receipt"
"""The fault whose truth the caller cannot know."""

FAULTS: Mapping[str, str] = {fault.name: phase for phase, fault in PHASES.items()}
"""The faults that strike one call, with any symptom of theirs."""


def phases_of(fault: str) -> Mapping[str, str]:
    """Twin -> phase. Raises BadInput for a name that no fault of one call has."""
    if fault == TWINNED:
        return TWINS
    if fault not in FAULTS:
        elsewhere = " (that one needs parameters: ask for it in a scenario)" if fault in NAMED else ""
        raise BadInput(f"unknown fault {fault!r}{elsewhere}; known: {', '.join(FAULTS)}")
    return {fault: FAULTS[fault]}


def symptoms_of(fault: str, *, over_http: bool) -> list[str]:
    """The symptoms that every twin of a fault can have, and that a call of this kind can show.

    The death of the caller's process is not among them: code that is called once is not started again.
    """
    tables = [ALLOWED[phase] for phase in phases_of(fault).values()]
    unseen = {*CRASHING, *(FUNCTION_ONLY if over_http else ())}
    return [name for name in tables[0] if name not in unseen and all(name in table for table in tables)]


def check_symptom(fault: str, symptom: str) -> None:
    """Raises BadInput where a fault cannot look so, with the symptoms that it can have."""
    if symptom not in (known := symptoms_of(fault, over_http=False)):
        raise BadInput(f"{fault} has no symptom {symptom!r}; it has {', '.join(known)}")


def told_apart(contract: Contract) -> bool:
    """Whether anything that a caller may do shows if a late request was admitted: a key, a status query, a fence."""
    return contract.key is not None or contract.status or contract.fence is not None


def readable(twins: Mapping[str, str], contract: Contract) -> Mapping[str, str]:
    """The twins under the names that test ids show: `late` for both kinds where nothing tells them apart."""
    if set(LATE) <= set(twins) and not told_apart(contract):
        return {"late" if twin == LATE[0] else twin: twins[twin] for twin in twins if twin != LATE[1]}
    return twins
