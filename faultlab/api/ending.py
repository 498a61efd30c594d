"""How a run ended: what the code said by returning or raising, and what was wanted of it."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any

from faultlab.core.agent import CALL_COST, HAND_OVER_COST, Budget
from faultlab.core.contract import Contract
from faultlab.core.handover import record_of
from faultlab.core.history import Brief, Expectation, Expected, WriteTerms
from faultlab.core.knowledge import Knowledge
from faultlab.core.operation import Operation
from faultlab.core.records import Call, Claim, Effect, Event, Outcome
from faultlab.core.tools import Tool
from faultlab.faults.plan import Plan
from faultlab.matrix.claims import claim_of

SHOWN = 60
"""Letters of a returned value that a claim quotes."""


AtMost = Mapping[str, int]
"""Tool -> how many equal effects of it are intended; without an entry one."""


def operations_of(contract: Contract, events: Iterable[Event], at_most: AtMost) -> list[Operation]:
    """What the receipts prove of each operation. Equal ones are told apart by their keys or references."""
    knowledge = Knowledge(contract.disclosed(), lambda tool, _identity: at_most.get(tool, 1))
    for event in events:
        knowledge.see(event)
    return knowledge.operations


def returned(value: Any, operations: Iterable[Operation]) -> Claim:
    """A value says that everything is done, unless it is a Claim itself."""
    if isinstance(value, Claim):
        return claim_of(value)
    return Claim.done(f"returned {_short(value)}", [item.applied for item in operations if item.applied])


def raised(error: BaseException, hands_over: tuple[type[BaseException], ...], operations: Iterable[Operation]) -> Claim:
    """An exception hands over if its class says so, also inside of a group; else it says not done, or nothing where
    the outcome is unknown."""
    found = list(operations)
    text = f"raised {type(error).__name__}: {_short(str(error), quoted=False)}"
    unknown = [item for item in found if item.knowledge is Outcome.UNKNOWN]
    if _is_one(error, hands_over):
        records = tuple(record_of(item) for item in unknown)
        known = {item.label: _status(item) for item in found if item not in unknown} if unknown else {}
        reads = tuple(sorted({number for record in records for number in record.reads}))
        return Claim("handed_over", text, reads, known, records)
    return Claim("unknown" if unknown else "not_done", text)


def _is_one(error: BaseException, classes: tuple[type[BaseException], ...]) -> bool:
    """Also where a task group has wrapped it, at any depth."""
    if isinstance(error, BaseExceptionGroup):
        return error.subgroup(classes) is not None
    return isinstance(error, classes)


def _status(operation: Operation) -> Any:
    return "done" if operation.knowledge is Outcome.APPLIED else "not_done"


def _short(value: Any, *, quoted: bool = True) -> str:
    text = repr(value) if quoted else str(value)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def brief_of(
    contract: Contract,
    plan: Plan,
    tools: Mapping[str, Tool],
    events: Iterable[Event],
    ledger: Iterable[Effect],
    budget: Budget | None,
    at_most: AtMost,
) -> Brief:
    """What is wanted of code without a task: each operation that it began, once.

    Without a stated budget nobody can say that it gave up too early, or asked too often: the budget is then what it
    used, and no read comes too soon.
    """
    seen = list(events)
    calls = [event for event in seen if type(event) is Call]
    begun = Counter((item.tool, item.identity) for item in operations_of(contract, seen, at_most))
    wanted = {**dict.fromkeys(((effect.tool, effect.identity) for effect in ledger), 1), **begun}
    queryable = {target for tool in tools.values() for target, _ in tool.shows}
    declared = [item.name for item in fields(WriteTerms) if item.name != "queryable" and hasattr(Tool, item.name)]
    writes = {
        tool.name: WriteTerms(queryable=tool.name in queryable, **{name: getattr(tool, name) for name in declared})
        for tool in tools.values()
        if tool.kind == "write"
    }
    if budget is None:
        used = max(1, len(calls))
        contract = replace(contract, poll_s=0.0)
        budget = Budget(used, 1e9, used * CALL_COST + HAND_OVER_COST)
    return Brief(
        contract,
        budget,
        Expectation(tuple(Expected(*item, exactly) for item, exactly in wanted.items())),
        writes,
        (),
        sum(item.required for item in plan),
        sum(not item.required for item in plan),
    )
