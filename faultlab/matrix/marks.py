"""YAML as plain JSON values, with the line of every key and list item."""

from dataclasses import dataclass, field
from typing import Any

import yaml

Place = tuple[str | int, ...]
"""Keys and list positions from the top of the file: `("plan", 0, "tool")`."""


# libyaml's parser is several times faster; PyYAML can be built without it.
Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(Loader):  # type: ignore[misc]  # one of two classes
    """A date stays the text that was written."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in Loader.yaml_implicit_resolvers.items()
}


MOST = 100_000
"""So many values a file may hold, those of its aliases written out. A few lines of aliases of aliases hold billions."""


class _TooMuch(yaml.YAMLError):
    """Its aliases, written out, are more than a scenario can be."""


@dataclass(slots=True)
class Marked:
    """What a file says, where it says it, and what of it is no data."""

    data: Any = None
    lines: dict[Place, int] = field(default_factory=dict)
    problems: list[tuple[Place, str]] = field(default_factory=list)
    count: int = 0
    """How many values were read."""

    def line(self, place: Place) -> int:
        """The line of a place, or of the nearest one above it that is written in the file."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)


def read(text: str) -> Marked:
    """Never raises: what is not YAML, a key given twice or a value that JSON has not is among the problems."""
    marked = Marked()
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        if node is not None:
            marked.data = _value(loader, node, (), marked, ())
    except _TooMuch:
        marked.problems.append(((), f"more than {MOST:,} values, with aliases written out; leave the aliases out"))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        marked.lines[()] = mark.line + 1 if mark is not None else 1
        marked.problems.append(((), f"not YAML: {error.problem or error.context}"))
    except yaml.YAMLError as error:
        marked.problems.append(((), f"not YAML: {str(error).splitlines()[0]}"))
    return marked


def _value(loader: _Loader, node: yaml.Node, place: Place, marked: Marked, above: tuple[yaml.Node, ...]) -> Any:
    marked.lines.setdefault(place, node.start_mark.line + 1)
    marked.count += 1
    if marked.count > MOST:
        raise _TooMuch
    if any(node is outer for outer in above):
        marked.problems.append((place, "an alias that contains itself; write the value out"))
        return None
    inside = (*above, node)
    if isinstance(node, yaml.MappingNode):
        return _mapping(loader, node, place, marked, inside)
    if isinstance(node, yaml.SequenceNode):
        return [_value(loader, item, (*place, position), marked, inside) for position, item in enumerate(node.value)]
    try:
        value = loader.construct_object(node)
    except (yaml.YAMLError, ValueError):
        value = ...
    if value is None or isinstance(value, str | int) or (isinstance(value, float) and abs(value) < float("inf")):
        return value
    marked.problems.append((place, f"{node.value!r} is not a value of JSON; quote it if it is text"))
    return None


def _mapping(
    loader: _Loader, node: yaml.MappingNode, place: Place, marked: Marked, above: tuple[yaml.Node, ...]
) -> dict[str, Any]:
    written: set[str] = set()
    for key, _ in node.value:
        name = str(key.value)
        if name in written:
            marked.lines[*place, name] = key.start_mark.line + 1
            marked.problems.append(((*place, name), f"{name!r} is given twice; keep one"))
        written.add(name)
    loader.flatten_mapping(node)
    found: dict[str, Any] = {}
    for key, item in node.value:
        name = str(key.value) if isinstance(key, yaml.ScalarNode) else "?"
        marked.lines.setdefault((*place, name), key.start_mark.line + 1)
        if key.tag != "tag:yaml.org,2002:str":
            marked.problems.append(((*place, name), f"the key {name} is not text; quote it"))
        found[name] = _value(loader, item, (*place, name), marked, above)
    return found
