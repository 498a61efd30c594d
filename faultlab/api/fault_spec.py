"""A fault as somebody asks for it in code, and as the engine plans it."""

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from faultlab.api import given
from faultlab.api.front import route_of
from faultlab.api.twins import FAULTS, LATE, check_symptom, phases_of, symptoms_of
from faultlab.core.actions import Delivery, Reply
from faultlab.core.canonical import canonical
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
        given.a(str, "FaultSpec: name", self.name)
        given.a(bool, f"{self.name}: required", self.required)
        if self.raises is not None and not callable(self.raises):
            raise BadInput(f"{self.name}: raises={self.raises!r}: give a class of exceptions, or a function")
        check_symptom(self.name, self.symptom)
        _check_address(self.name, self.on)
        _check_match(self.name, self.match)
        if type(self.occurrence) is not int or self.occurrence < 1:
            raise BadInput(f"{self.name}: occurrence counts from 1, not {self.occurrence!r}")
        if self.raises is not None and " " in self.on:
            raise BadInput(
                f"{self.name} on {self.on!r}: raises= is for a wrapped Python function; an HTTP client raises its own"
                " exceptions, so leave it out"
            )


def asked(name: str, on: str, tool: str, more: Mapping[str, Any]) -> FaultSpec:
    """The fault that a call of `Lab.fault` asks for. Raises BadInput for two addresses, and for an unknown option."""
    if on and tool:
        raise BadInput(f"{name}: on={on!r} and tool={tool!r} are two calls; plan one fault for each")
    options = [item.name for item in fields(FaultSpec) if item.name not in ("name", "on")]
    for option in more:
        if option not in options:
            raise BadInput(f"{name}: unknown option {option!r}{near(option, options)}; known: {', '.join(options)}")
    return FaultSpec(name=name, on=on or tool, **more)


def near(name: Any, known: Iterable[str]) -> str:
    """The known name that a misspelt one is most like, as a question; empty: none is like it."""
    close = difflib.get_close_matches(str(name), list(known), 1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _check_address(who: str, on: Any) -> None:
    """Raises BadInput for what names no call, and for a route that is not written as one."""
    if not isinstance(on, str) or not on:
        said = f"{on!r} names no call; " if on else ""
        raise BadInput(f'{who}: {said}say which call it strikes, with either on="POST /v1/refunds" or tool="refund"')
    if " " in on:
        route_of(on)


def _check_match(who: str, match: Any) -> None:
    """Raises BadInput where it maps no names, and for a value that no recorded argument can equal."""
    if not isinstance(match, Mapping) or not all(isinstance(name, str) for name in match):
        raise BadInput(f"{who}: match={match!r} must map arguments to values: match={{'id': 7}}")
    for name, value in match.items():
        try:
            canonical(value)
        except (TypeError, ValueError):
            raise BadInput(
                f"{who}: match={{{name!r}: {value!r}}} matches no call, for arguments are recorded as JSON: give a"
                " text, a number, a bool, None, a list or a dict of these"
            ) from None


def shown_in_front(fault: str, on: str) -> list[str]:
    """The symptoms of a fault that a lab in front of an app, or around a Python function, can show."""
    over_http = " " in on
    known = OVER_HTTP if over_http else IN_PYTHON
    return [symptom for symptom in symptoms_of(fault, over_http=over_http) if symptom in known]


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
        if spec.raises is not None:
            raise BadInput(f"{spec.name} on {spec.on!r}: raises= is for a wrapped function, not for {toolset.name}")
        return Planned(**values)
    check_shown(spec)
    return _Shown(**values, example=spec.example) if spec.symptom in WITH_BODY else Planned(**values)


def check_shown(spec: FaultSpec) -> None:
    """Raises BadInput for a symptom that a lab in front of an app, or around a Python function, cannot show."""
    known = shown_in_front(spec.name, spec.on)
    if spec.symptom not in known:
        place = "in front of an app" if " " in spec.on else "around a Python function"
        raise BadInput(
            f"{spec.name} on {spec.on!r}: a lab in front of a Toolset can show the symptom {spec.symptom!r},"
            f" one {place} cannot; take one of: {', '.join(known)}"
        )
    if spec.symptom in WITH_BODY and spec.example is None:
        bare = ", ".join(symptom for symptom in known if symptom not in WITH_BODY)
        raise BadInput(
            f"{spec.name} on {spec.on!r}: {spec.symptom!r} shows a part of the answer, and where the request never"
            f" arrives there is none. Give a usual answer, example={{...}}, or take one of: {bare}"
        )


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
