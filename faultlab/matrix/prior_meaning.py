"""What is wrong with the calls that a scenario lets happen before the attempt."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from faultlab.core.tools import Tool
from faultlab.matrix.marks import Place
from faultlab.matrix.shape import Problem, unknown

APART_S = 10.0
"""More than a lost receipt takes: each call is over before the next one, and before the attempt."""

Arguments = Callable[[Tool, Sequence[str], Mapping[str, Any], Place], Iterator[Problem]]


def prior_problems(
    items: Sequence[Any] | None, tools: Mapping[str, Tool], check: Arguments, place: Place = ()
) -> Iterator[Problem]:
    """Of one `prior` list; None in it stands for an entry that has not the right form."""
    before_s = None
    for position, item in enumerate(items or ()):
        path: Place = (*place, "prior", position)
        if item is None:
            continue
        yield from _call(item, tools, check, path)
        if (at_s := item.get("at_s")) is None:
            continue
        if at_s > -APART_S:
            yield (*path, "at_s"), f"at_s is {at_s:g}; it must be {-APART_S:g} or less: the attempt begins at 0"
        elif before_s is not None and at_s < before_s + APART_S:
            near = f"the call before it is at {before_s:g}"
            yield (*path, "at_s"), f"at_s is {at_s:g}; {near}: list them in order, {APART_S:g} s apart"
        before_s = at_s


def _call(item: Mapping[str, Any], tools: Mapping[str, Tool], check: Arguments, path: Place) -> Iterator[Problem]:
    if (name := item.get("tool")) is not None:
        if name not in tools:
            yield (*path, "tool"), unknown("tool", name, tools)
        elif (given := item.get("args")) is not None:
            tool = tools[name]
            yield from check(tool, tool.arguments, given, (*path, "args"))
            for argument in tool.schema["required"]:
                if argument not in given:
                    yield (*path, "args"), f"args lacks {argument!r}, which {name} needs"
    if item.get("by") == "other":
        for word in ("fault", "record"):
            if word in item:
                yield (*path, word), f"{word} is for the agent's own calls; leave it out, or leave out by: other"
