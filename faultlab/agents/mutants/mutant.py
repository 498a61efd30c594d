"""What a mutant is: `careful` with one row of its policy table, one step of its clerk, or its tools made wrong."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from faultlab.agents.by_client import Tools
from faultlab.agents.careful import careful
from faultlab.agents.clerk import Clerk
from faultlab.agents.groundwork import Groundwork
from faultlab.client.moves import MoveFunction
from faultlab.client.policy import TABLE, changed
from faultlab.client.recovery import Recovery
from faultlab.core.records import Receipt


class Mutant(NamedTuple):
    """A wrong agent, and the code of the rule that must catch it."""

    agent: Callable[[Any, Any], Any]
    code: str


def row(name: str, move: MoveFunction, code: str, *, also: Callable[[Recovery], bool] | None = None) -> Mutant:
    """One row of the policy with another move. `also`: the row applies where this holds, too."""
    table = changed(TABLE, name, move=move)
    if also is not None:
        old = next(item for item in TABLE if item.name == name)
        table = changed(table, name, when=_either(old.when, also))
    return Mutant(partial(careful, table=table), code)


def step(clerk: type[Clerk], code: str) -> Mutant:
    """One step of the clerk: a subclass with one method of its own."""
    return Mutant(partial(careful, clerk=clerk), code)


def reads(groundwork: type[Groundwork], code: str) -> Mutant:
    """One step of the reads before a write: a subclass with one method of its own."""
    return step(type(groundwork.__name__, (Clerk,), {"groundwork": groundwork}), code)


def by(tools: type[Tools], code: str) -> Mutant:
    """The tools as they are called: a subclass with one method of its own."""
    return Mutant(partial(careful, tools=tools), code)


def _either(one: Callable[[Recovery], bool], other: Callable[[Recovery], bool]) -> Callable[[Recovery], bool]:
    return lambda recovery: one(recovery) or other(recovery)


def last(recovery: Recovery) -> Receipt | None:
    """What came back last."""
    return recovery.operation.last_receipt
