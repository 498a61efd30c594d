"""Form bodies (application/x-www-form-urlencoded) as JSON: `a[b]=c` is a member of a member, `a[]=c` or `a[0]=c` an
item of a list, as Stripe and PHP, Rails and qs write them."""

from typing import Any
from urllib.parse import parse_qsl

FORM = "application/x-www-form-urlencoded"
FIELDS = 1000
"""So many fields may a form have."""
DEPTH = 16
"""So deep may a name lead."""


def form(text: str) -> dict[str, Any]:
    """The fields of a form; every value is a text. A name given several times is a list of its values. Raises
    ValueError."""
    made: dict[str, Any] = {}
    for name, value in parse_qsl(text, keep_blank_values=True, max_num_fields=FIELDS):
        _put(made, _path(name), value)
    return {name: _listed(item) for name, item in made.items()}


def flat(query: str) -> dict[str, Any]:
    """The parameters of a query, whose brackets mean nothing; repeated ones as in a form."""
    made: dict[str, Any] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        _add(made, name, value)
    return made


def _path(name: str) -> list[str]:
    """`a[b][]` -> a, b and an empty step. A name whose brackets do not fit is one step."""
    first, bracket, rest = name.partition("[")
    if not bracket or not first or not rest.endswith("]"):
        return [name]
    steps = rest[:-1].split("][")
    if len(steps) >= DEPTH:
        raise ValueError(f"{name[:40]} leads more than {DEPTH} steps deep")
    return [name] if any("[" in step or "]" in step for step in steps) else [first, *steps]


def _put(made: dict[str, Any], path: list[str], value: str) -> None:
    place = made
    for step in path[:-1]:
        place = place.setdefault(step or str(len(place)), {})
        if type(place) is not dict:
            raise ValueError(f"{step} has a value and members")
    last = path[-1] or str(len(place))
    if type(place.get(last)) is dict:
        raise ValueError(f"{last} has a value and members")
    _add(place, last, value)


def _add(place: dict[str, Any], name: str, value: str) -> None:
    known = place.get(name)
    if type(known) is list:
        known.append(value)
    else:
        place[name] = value if known is None else [known, value]


def _listed(value: Any) -> Any:
    """Members that are named 0, 1, 2 ... are the items of a list."""
    if type(value) is not dict:
        return value
    items = {name: _listed(item) for name, item in value.items()}
    return list(items.values()) if list(items) == [str(number) for number in range(len(items))] else items
