"""Finds the agent that a user names: a reference agent, `module:function`, or `file.py:function`."""

import difflib
from collections.abc import Mapping
from pathlib import Path

from faultlab.agents.catalog import AGENTS
from faultlab.core.errors import BadInput
from faultlab.matrix.command import COMMAND, Command
from faultlab.matrix.importing import import_place
from faultlab.matrix.life import Agent


def resolve_agent(name: str) -> Agent:
    """Raises BadInput that says what was looked for, where, and what is there instead."""
    if name in AGENTS:
        return AGENTS[name]
    if name.startswith(COMMAND):
        return Command.of(name.removeprefix(COMMAND))
    place, colon, attribute = name.rpartition(":")
    if not colon:
        near = difflib.get_close_matches(name, AGENTS, 1)
        hint = f"; did you mean {near[0]!r}" if near else ""
        raise BadInput(
            f"unknown agent {name!r}{hint}. Reference agents: {', '.join(AGENTS)}. "
            "Your own: module:function or file.py:function"
        )
    module = import_place(place, "agent", (Path(),))
    found = getattr(module, attribute, None)
    if found is None:
        there = sorted(item for item in vars(module) if callable(vars(module)[item]) and not item.startswith("_"))
        raise BadInput(f"agent {name!r}: {place} has no {attribute!r}; it has {', '.join(there) or 'no functions'}")
    if not callable(found):
        raise BadInput(f"agent {name!r}: {attribute} is a {type(found).__name__}, not a function of (task, env)")
    agent: Agent = found
    return agent


def resolve_agents(names: tuple[str, ...]) -> Mapping[str, Agent]:
    """Name -> function, in the order given; a name given twice counts once."""
    return {name: resolve_agent(name) for name in dict.fromkeys(names)}
