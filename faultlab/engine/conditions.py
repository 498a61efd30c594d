"""Conditional writes: the version of the row that a tool declares, its entity tag, and what If-Match decides."""

from typing import Any

from faultlab.core import versions
from faultlab.core.actions import Reply
from faultlab.core.contract import Contract
from faultlab.core.records import Call
from faultlab.core.tools import Tool
from faultlab.core.versions import Precondition
from faultlab.core.world import VERSIONS, World
from faultlab.engine.errors import problem


def unmet_condition(world: World, contract: Contract, tool: Tool, call: Call) -> Reply | None:
    """The refusal of a write whose condition does not hold just before its effect.

    A row that is not there has no version to compare: the tool's own refusal comes first (RFC 9110 section 13.2.1).
    """
    if tool.versioned is None or contract.precondition is None:
        return None
    table, argument = tool.versioned
    row_id = str(call.args[argument])
    if world.peek(table, row_id) is None:
        return None
    current = versions.etag(world.version(table, row_id))
    met = versions.decide(call.if_match, current, contract.precondition == "required")
    if met is Precondition.FAILED:
        return problem(412, "precondition_failed", f"{row_id} has another version than {call.if_match}")
    if met is Precondition.MISSING:
        return problem(428, "precondition_required", f"Read {row_id}, and send its etag as If-Match.")
    return None


def tagged(world: World, contract: Contract, tool: Tool, call: Call, body: dict[str, Any], *, written: bool) -> Reply:
    """A 2xx. Where the row has versions it carries the tag, in header and body, and a write makes a new one."""
    status = 207 if tool.items is not None else 202 if tool.provisional else 200
    if tool.versioned is None or contract.precondition is None:
        return Reply(status, body)
    table, argument = tool.versioned
    row_id = str(call.args[argument])
    version = world.version(table, row_id) + written
    if written:
        world.put(VERSIONS, f"{table}/{row_id}", version)
    tag = versions.etag(version)
    return Reply(status, {**body, "etag": tag}, {"etag": tag})
