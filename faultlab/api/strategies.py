"""Strategies that draw fault plans, for Hypothesis. The library itself is loaded on first use.

@given(plan=faultlab.strategies.plans("POST /v1/refunds"))
def test_refund(plan):
    lab = faultlab.Lab(faults=plan)
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from faultlab.api import given
from faultlab.api.fault_spec import WITH_BODY, FaultSpec, shown_in_front
from faultlab.api.front import route_of
from faultlab.api.twins import phases_of, symptoms_of
from faultlab.core.errors import BadInput
from faultlab.faults.catalog import PHASES

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Drawn = tuple[FaultSpec, ...]
"""The `faults` of a Lab."""


def plans(
    *addresses: str,
    faults: Iterable[str] = ("lost_receipt",),
    symptoms: Iterable[str] = (),
    occurrences: int = 3,
    max_faults: int = 2,
    example: Any = None,
) -> "SearchStrategy[Drawn]":
    """Plans of up to `max_faults` faults, each for one call: an address and one of its first `occurrences` calls.

    An address is method and path (`POST /v1/refunds`), or the name of a function or tool. `lost_receipt` draws each
    of its twins; a Lab that is given the plan keeps its own twin, `committed`. Without `symptoms` those are drawn
    that every call of such an address can have: for a route those of a lab in front of an app, the ones that show a
    part of the answer only with an `example` of it; for a name those of a Python function. No drawn fault is required
    to strike.

    A plan shrinks to fewer faults, then to the first address, the first call, the receipt that is lost after the
    effect, and the first symptom; the empty plan is the run in which nothing goes wrong. Raises BadInput for an
    address, fault, symptom or number that cannot be meant.
    """
    if not addresses:
        raise BadInput("plans(): name at least one address: method and path, or the name of a function or tool")
    for address in addresses:
        _check_address(address)
    given.at_least(1, "plans(): occurrences", occurrences)
    given.at_least(1, "plans(): max_faults", max_faults)
    names, chosen = _listed("faults", faults), _listed("symptoms", symptoms)
    if not names:
        raise BadInput("plans(): faults is empty; leave it out, or name at least one fault")
    struck = [item for address in addresses for item in _struck(address, names, chosen, example is not None)]
    try:
        from hypothesis import strategies as st
    except ModuleNotFoundError:
        raise BadInput("the package hypothesis is not installed: pip install 'faultlab[hypothesis]'") from None
    items = st.tuples(st.integers(1, occurrences), st.sampled_from(struck))
    drawn = st.lists(items, max_size=max_faults, unique_by=_call)
    return drawn.map(lambda found: tuple(_spec(number, *item, example) for number, item in found))


def _check_address(address: Any) -> None:
    """Raises BadInput for what names no call, and for a route that is not written as one."""
    if not isinstance(address, str) or not address:
        raise BadInput(f"plans(): {address!r} is no address; give each, as 'POST /v1/refunds' or a name, by itself")
    if " " in address:
        route_of(address)


def _listed(option: str, names: Iterable[str]) -> tuple[str, ...]:
    """A text by itself would be taken for a list of its letters."""
    if isinstance(names, str):
        raise BadInput(f"plans(): {option}={names!r} must be a list: {option}=[{names!r}]")
    return given.listed(f"plans(): {option}", names)


def _call(item: tuple[int, tuple[str, str, str]]) -> tuple[int, str]:
    """Two faults never strike one call."""
    return item[0], item[1][0]


def _struck(
    address: str, faults: tuple[str, ...], symptoms: tuple[str, ...], has_example: bool
) -> Iterator[tuple[str, str, str]]:
    """Address, fault of one phase, and symptom: all that may be drawn, the simplest first."""
    over_http = " " in address
    names = sorted(
        dict.fromkeys(PHASES[phase].name for fault in faults for phase in phases_of(fault).values()),
        key=lambda name: name != PHASES["after"].name,
    )
    known = {fault: symptoms_of(fault, over_http=over_http) for fault in faults}
    for symptom in symptoms:
        if not any(symptom in table for table in known.values()):
            told = ", ".join(dict.fromkeys(name for table in known.values() for name in table))
            raise BadInput(f"plans(): {', '.join(faults)} has no symptom {symptom!r}; it has {told}")
    of_fault = {PHASES[phase].name: fault for fault in faults for phase in phases_of(fault).values()}
    for name in names:
        usual = shown_in_front(of_fault[name], address)
        for symptom in known[of_fault[name]]:
            asked = symptom in symptoms
            if asked or (not symptoms and symptom in usual and (has_example or symptom not in WITH_BODY)):
                yield address, name, symptom


def _spec(occurrence: int, address: str, name: str, symptom: str, example: Any) -> FaultSpec:
    return FaultSpec(name=name, on=address, symptom=symptom, occurrence=occurrence, required=False, example=example)
