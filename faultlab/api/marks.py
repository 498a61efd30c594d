"""The marks of the pytest plugin as data: what `faults` and `scenario` ask for, and the cases they expand to.

Nothing here knows pytest: the plugin hands in the arguments of its marks and names the place of what is wrong.
"""

import ast
import inspect
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from faultlab.api.fault_spec import FaultSpec, near
from faultlab.api.front import route_of
from faultlab.api.twins import phases_of, readable, symptoms_of
from faultlab.core.canonical import canonical
from faultlab.core.errors import BadInput
from faultlab.core.profiles import contract_of

MORE = ("match", "example", "raises")
FAULTS_OPTIONS = ("on", "tool", "symptom", "occurrence", "contract", *MORE)


class FaultMark(NamedTuple):
    """One `faults` mark: a fault, and the call that it strikes."""

    fault: str
    call: str
    """Method and path, or the name of a tool."""
    symptom: str
    occurrence: int
    contract: str | None
    more: Mapping[str, Any]
    """Further members of a FaultSpec."""

    @property
    def match(self) -> Mapping[str, Any]:
        """Arguments that the call must have."""
        match: Mapping[str, Any] = self.more.get("match", {})
        return match

    def __str__(self) -> str:
        which = f" #{self.occurrence}" if self.occurrence > 1 else ""
        return f"{self.fault} {self.call}{which} ({self.symptom})"


class Case(NamedTuple):
    """One test item: the faults of all marks, each in one of its twins; or one twin of a scenario's group."""

    id: str
    twin: str
    twins: tuple[str, ...]
    """Those that pass or fail together, this one among them."""
    contract: str
    faults: tuple[tuple[FaultMark, str], ...] = ()
    """Each mark, and the phase that it has here."""
    scenario: str = ""
    real_twin: str = ""
    """The scenario's own name of the twin."""

    def __str__(self) -> str:
        """The plan in one line, for a junit property."""
        if self.scenario:
            return f"scenario {self.scenario}, contract {self.contract}"
        return "; ".join(str(mark) for mark, _ in self.faults) + f"; contract {self.contract}"


def fault_mark(args: Sequence[Any], given: Mapping[str, Any]) -> FaultMark:
    """The mark as a record. Raises BadInput that names the value and what is allowed instead."""
    fault = one_name(args, given, "faults", "a fault", FAULTS_OPTIONS)
    on, tool = given.get("on"), given.get("tool")
    if (on is None) == (tool is None):
        raise BadInput('faults: say which call it strikes, with either on="POST /v1/refunds" or tool="refund"')
    if on is not None:
        if not isinstance(on, str):
            raise BadInput(f"faults: on={on!r} is not one route; write a mark of its own for each call")
        route_of(on)
    if tool is not None and not (isinstance(tool, str) and tool):
        raise BadInput(f'faults: tool={tool!r} is not the name of a tool; write for example tool="refund_order"')
    symptom, occurrence = given.get("symptom", "timeout"), given.get("occurrence", 1)
    if symptom not in (known := symptoms_of(fault, over_http=on is not None)):
        raise BadInput(f"faults: {fault} has no symptom {symptom!r}{near(symptom, known)}; it has {', '.join(known)}")
    if type(occurrence) is not int or occurrence < 1:
        raise BadInput(f"faults: occurrence={occurrence!r} counts the calls from 1; it must be 1 or more")
    contract = contract_asked(given, "faults")
    if contract is not None:
        contract_of(contract)
    more = {name: given[name] for name in MORE if name in given}
    call = on or tool or ""
    FaultSpec(name=fault, on=call, symptom=symptom, occurrence=occurrence, **more)  # what a lab refuses is told here
    return FaultMark(fault, call, symptom, occurrence, contract, more)


def one_name(args: Sequence[Any], given: Mapping[str, Any], mark: str, what: str, options: Sequence[str]) -> str:
    """The one argument by position. Raises BadInput where it is no text, or an option is none of those known."""
    if len(args) != 1 or not isinstance(args[0], str):
        raise BadInput(f"{mark}: it takes the name of {what}, then options by keyword: {', '.join(options)}")
    for name in given:
        if name not in options:
            raise BadInput(f"{mark}: unknown option {name!r}{near(name, options)}; known: {', '.join(options)}")
    return args[0]


def contract_asked(given: Mapping[str, Any], mark: str) -> str | None:
    """The name of a contract; whether it exists is for the caller to say."""
    name = given.get("contract")
    if name is not None and not isinstance(name, str):
        raise BadInput(f"{mark}: contract={name!r} is not the name of a contract")
    return name


def fault_cases(marks: Sequence[FaultMark]) -> list[Case]:
    """Every combination of the marks' twins, the first mark's first. Raises BadInput for marks that disagree."""
    contracts = list(dict.fromkeys(item.contract for item in marks if item.contract is not None))
    if len(contracts) > 1:
        raise BadInput(f"faults: one test has one contract, but its marks say {' and '.join(contracts)}")
    struck: dict[str, FaultMark] = {}
    for item in marks:
        call = canonical([item.call, item.occurrence, item.match])
        if struck.setdefault(call, item) is not item:
            raise BadInput(f"faults: two marks strike call {item.occurrence} of {item.call}; change one's occurrence")
    contract = contract_of(contracts[0] if contracts else "none")
    ways = [
        [(twin, (mark, phase)) for twin, phase in readable(phases_of(mark.fault), contract).items()] for mark in marks
    ]
    chosen = {"-".join(twin for twin, _ in way): tuple(fault for _, fault in way) for way in product(*ways)}
    return [Case(name, name, tuple(chosen), contract.name, faults) for name, faults in chosen.items()]


def place_of(function: Callable[..., Any], mark: str, args: Sequence[Any], given: Mapping[str, Any]) -> str:
    """`FILE:LINE` of a mark; where it is not written at the function, its class or its module, of the function."""
    code = inspect.unwrap(function).__code__
    try:
        tree = ast.parse(Path(code.co_filename).read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError):
        return f"{code.co_filename}:{code.co_firstlineno}"
    wanted = [repr(item) for item in args], {name: repr(item) for name, item in given.items()}
    lines = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == mark
        and _written(node) == wanted
    ]
    last = max((_end(item, code.co_firstlineno) for item in ast.walk(tree)), default=0)
    near = [line for line in lines if line <= last]
    return f"{code.co_filename}:{(near or lines or [code.co_firstlineno])[-1]}"


def _end(node: ast.AST, first_line: int) -> int:
    """The last line of a function whose code begins at a line: its first decorator's, where it has one; else 0."""
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return 0
    begins = min([node.lineno, *(item.lineno for item in node.decorator_list)])
    return (node.end_lineno or node.lineno) if begins == first_line else 0


def _written(node: ast.Call) -> tuple[list[str], dict[str, str]]:
    """The arguments as written; equal to the values' own repr where they are literals."""
    return [_literal(item) for item in node.args], {item.arg or "": _literal(item.value) for item in node.keywords}


def _literal(node: ast.expr) -> str:
    try:
        return repr(ast.literal_eval(node))
    except ValueError:
        return ast.unparse(node)
