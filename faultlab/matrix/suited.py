"""Whether a reference agent can read the task of a scenario: they know it by its inputs alone."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from faultlab.agents.catalog import AGENTS
from faultlab.core.errors import BadInput
from faultlab.matrix.scenario import Group, Scenario
from faultlab.matrix.unfit import line_of, own

NEEDED = {"refund": ("get_order", "refund_order"), "order": ("place_order",), "check": ("get_page",)}
"""What the inputs may ask for beside tools by their names -> the tools that it takes."""


def check_suited(agents: Iterable[str], groups: Sequence[Group]) -> None:
    """Raises BadInput where a reference agent is asked to do a task of the user's own that it cannot read."""
    names = [name for name in agents if name in AGENTS]
    first = {group.scenario.id: group for group in reversed(groups) if own(group.scenario)}
    wrong = [
        f"{line_of(group.scenario, ('inputs',))}: {', '.join(names)} cannot do this task: {why}. Reference agents read"
        f" it from `inputs: {{TOOL: [{{ARGUMENT: VALUE}}]}}`; write that, or run an agent of your own"
        for group in reversed(first.values())
        if names and (why := unread(group.scenario, group.specs))
    ]
    if wrong:
        raise BadInput("\n".join(wrong))


def unread(scenario: Scenario, specs: Mapping[str, Mapping[str, Any]]) -> str:
    """Why its task cannot be read; empty: it can."""
    if not scenario.inputs:
        if scenario.user and all(tool in specs for tool in NEEDED["refund"]):
            return ""
        return "it has no inputs" + ("" if scenario.user else " and no user to ask")
    known = [name for name in scenario.inputs if name in NEEDED or name in specs]
    if not known:
        writing = ", ".join(tool.name for tool in scenario.toolset.tools.values() if tool.kind == "write")
        return f"no input names a tool that writes ({writing}), only {', '.join(scenario.inputs)}"
    return next(filter(None, (_input(name, scenario.inputs[name], specs) for name in known)), "")


def _input(name: str, value: Any, specs: Mapping[str, Mapping[str, Any]]) -> str:
    if name in NEEDED and name not in specs:
        lacking = [tool for tool in NEEDED[name] if tool not in specs]
        if lacking:
            return f"the input {name!r} takes the tool {lacking[0]}, which its toolset has not"
        if name != "order":
            return ""
    tool = specs["place_order" if name == "order" else name]
    if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
        return f"the input {name!r} must be a list of mappings of arguments"
    lacking = [argument for item in value for argument in tool["identity"] if argument not in item]
    return f"the input {name!r} lacks {lacking[0]!r}" if lacking else ""
