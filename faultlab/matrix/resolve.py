"""Finds the agent that a user names: a reference agent, `module:function`, or `file.py:function`."""

import difflib
import importlib
import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path

from faultlab.agents.catalog import AGENTS
from faultlab.core.errors import BadInput
from faultlab.matrix.attempt import Agent


def resolve_agent(name: str) -> Agent:
    """Raises BadInput that says what was looked for, where, and what is there instead."""
    if name in AGENTS:
        return AGENTS[name]
    place, colon, attribute = name.rpartition(":")
    if not colon:
        near = difflib.get_close_matches(name, AGENTS, 1)
        hint = f"; did you mean {near[0]!r}" if near else ""
        raise BadInput(
            f"unknown agent {name!r}{hint}. Reference agents: {', '.join(AGENTS)}. "
            "Your own: module:function or file.py:function"
        )
    module = _file(place) if place.endswith(".py") else _module(place)
    found = getattr(module, attribute, None)
    if found is None:
        there = sorted(item for item in vars(module) if callable(vars(module)[item]) and not item.startswith("_"))
        raise BadInput(f"agent {name!r}: {place} has no {attribute!r}; it has {', '.join(there) or 'no functions'}")
    if not callable(found):
        raise BadInput(f"agent {name!r}: {attribute} is a {type(found).__name__}, not a function of (task, env)")
    agent: Agent = found
    return agent


def _module(name: str) -> object:
    working_folder = str(Path.cwd())
    if working_folder not in sys.path:
        sys.path.insert(0, working_folder)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise BadInput(f"agent module {name!r} was not found, neither installed nor in {working_folder}") from None
        raise BadInput(f"agent module {name!r} does not import: {error}") from error
    except Exception as error:
        raise BadInput(f"agent module {name!r} does not import: {_where(error)}") from error


def _file(place: str) -> object:
    path = Path(place).resolve()
    if not path.is_file():
        raise BadInput(f"agent file {place} does not exist")
    name = f"_faultlab_agent_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise BadInput(f"agent file {place} does not import: {_where(error)}") from error
    return module


def _where(error: Exception) -> str:
    trace, line = error.__traceback__, ""
    while trace is not None:
        line = f" ({trace.tb_frame.f_code.co_filename}:{trace.tb_lineno})"
        trace = trace.tb_next
    return f"{type(error).__name__}: {error}{line}"


def resolve_agents(names: tuple[str, ...]) -> Mapping[str, Agent]:
    """Name -> function, in the order given; a name given twice counts once."""
    return {name: resolve_agent(name) for name in dict.fromkeys(names)}
