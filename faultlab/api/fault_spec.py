"""A fault as somebody asks for it in code, and as the engine plans it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from faultlab.api.twins import FAULTS, LATE, check_symptom, phases_of
from faultlab.core.actions import Delivery, Reply
from faultlab.core.clock import ns
from faultlab.core.contract import Contract
from faultlab.core.errors import BadInput
from faultlab.core.tools import Toolset
from faultlab.faults.catalog import TWINS
from faultlab.faults.fault import Fault, Symptom
from faultlab.faults.plan import Plan, Planned
from faultlab.matrix.scenario import CLEAN

LATE_S = 600.0
"""When a late request lands at the latest, counted from its call, unless the contract states a settle time."""

OVER_HTTP = ("timeout", "reset", "close", "status", "truncated", "garbled", "short")
WITH_BODY = frozenset({"truncated", "garbled", "short"})
"""Symptoms that show a part of the answer, and need one to show."""
IN_PYTHON = ("timeout", "reset", "close")
"""Symptoms that a Python function can have: it raises."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultSpec:
    """One fault, and the call that it strikes."""

    name: str
    """`lost_receipt`, whose twin the lab chooses, or a fault of docs/faults.md."""
    on: str
    """The tool: `POST /v1/refunds`, `POST /v1/orders/{id}/refunds`, or the name of a function or tool."""
    symptom: str = "timeout"
    occurrence: int = 1
    """Counts the calls that match, from 1."""
    match: Mapping[str, Any] = field(default_factory=dict)
    """Arguments that the call must have."""
    required: bool = True
    """Whether the test says nothing if it does not strike."""
    example: Any = None
    """The JSON of a usual answer, for a symptom that shows part of it."""
    raises: Callable[[], BaseException] | None = None
    """What the function raises instead of the built-in exception of the symptom: a class, or a function that makes
    one."""

    def __post_init__(self) -> None:
        check_symptom(self.name, self.symptom)
        if self.occurrence < 1:
            raise BadInput(f"{self.name}: occurrence counts from 1, not {self.occurrence}")


@dataclass(frozen=True, slots=True)
class _Shown(Planned):
    """A fault whose symptom shows an example instead of the app's answer, in every twin alike."""

    example: Any = None

    def fault(self) -> Fault:
        made: Any = Planned.fault(self)
        look: Symptom = made.symptom

        def symptom(reply: Reply) -> Delivery:
            return look(Reply(200, self.example))

        fault: Fault = replace(made, symptom=symptom)
        return fault


def plan_of(specs: tuple[FaultSpec, ...], twin: str, contract: Contract, toolset: Toolset | None) -> Plan:
    """The plan of one twin; `clean`: none. `toolset`: where the tools are known before the first call."""
    if twin == CLEAN:
        return ()
    return tuple(_planned(spec, twin, contract, toolset) for spec in specs)


def _planned(spec: FaultSpec, twin: str, contract: Contract, toolset: Toolset | None) -> Planned:
    late_ns = ns(LATE_S if contract.settle_s is None else min(LATE_S, contract.settle_s))
    tool = spec.on if toolset is None else _tool_of(spec.on, toolset)
    values: dict[str, Any] = {
        "tool": tool,
        "phase": _phase(spec, twin),
        "symptom": spec.symptom,
        "occurrence": spec.occurrence,
        "match": spec.match,
        "required": spec.required,
        "late_ns": late_ns,
    }
    if toolset is not None:
        return Planned(**values)
    known = OVER_HTTP if " " in spec.on else IN_PYTHON
    if spec.symptom not in known:
        raise BadInput(f"{spec.name} on {spec.on!r} has no symptom {spec.symptom!r} here; it has {', '.join(known)}")
    if spec.symptom not in WITH_BODY:
        return Planned(**values)
    if spec.example is None:
        raise BadInput(
            f"{spec.name} on {spec.on!r}: {spec.symptom!r} shows a part of the answer, and where the request never"
            " arrives there is none. Give a usual answer, example={...}, or take one of: timeout, reset, close, status"
        )
    return _Shown(**values, example=spec.example)


def known_twin(twin: str) -> str:
    """The twin by its own name. Raises BadInput for one that there is not.

    The name of a fault that has no twins stands for itself.
    """
    if twin not in (CLEAN, *TWINS, "late", *FAULTS):
        raise BadInput(f"unknown twin {twin!r}; known: {', '.join((CLEAN, *TWINS, 'late'))}")
    return LATE[0] if twin == "late" else twin


def _phase(spec: FaultSpec, twin: str) -> str:
    phases = phases_of(spec.name)
    if len(phases) == 1:
        return next(iter(phases.values()))
    if twin not in phases:
        raise BadInput(f"{spec.name} has no twin {twin!r}; it has {', '.join(phases)}")
    return phases[twin]


def _tool_of(on: str, toolset: Toolset) -> str:
    for name, tool in toolset.tools.items():
        if on in (name, " ".join(tool.route or ())):
            return name
    raise BadInput(f"{on!r} is no tool of {toolset.name}; it has {', '.join(toolset.tools)}")
