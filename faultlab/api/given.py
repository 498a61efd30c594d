"""What a test's author gave, of the type that is meant: else a BadInput names the argument and the value.

A value of the wrong type would be noticed later and elsewhere, in a call of the code under test or in no call at all.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from faultlab.core.agent import Budget
from faultlab.core.contract import Contract, KeyRules
from faultlab.core.errors import BadInput

WORDS: Mapping[Any, str] = {
    bool: "True or False",
    float: "a number",
    int: "a whole number",
    str: "a text",
    NoneType: "None",
}


def a(kind: Any, what: str, value: Any) -> None:
    """Raises BadInput where the value is not of this kind: one of WORDS, or a union of them."""
    if not _fits(value, kind):
        raise BadInput(f"{what}={value!r}: give {_told(kind)}")


def at_least(least: int, what: str, value: Any) -> None:
    """Raises BadInput for what is no whole number, or a smaller one."""
    if not _fits(value, int) or value < least:
        raise BadInput(f"{what}={value!r}: give a whole number, {least} or more")


def a_mapping(what: str, value: Any, meant: str) -> None:
    """Raises BadInput for what is no mapping from texts."""
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise BadInput(f"{what}={value!r}: give a mapping, {meant}")


def counts(what: str, value: Any) -> None:
    """A mapping from routes or tools to how often."""
    a_mapping(what, value, "{'POST /v1/refunds': 2}")
    for name, number in value.items():
        at_least(1, f"{what}[{name!r}]", number)


def tables(what: str, value: Any) -> None:
    """A mapping from the names of tables to their rows by id."""
    a_mapping(what, value, "{'orders': {'A17': {'status': 'paid'}}}")
    for name, rows in value.items():
        a_mapping(f"{what}[{name!r}]", rows, "{'A17': {'status': 'paid'}}")


def shown_by(what: str, value: Any) -> None:
    """A mapping from the routes or tools of effects to functions from a body to references."""
    a_mapping(what, value, "{'POST /v1/refunds': lambda body: [body['reference']]}")
    for name, function in value.items():
        if function is not None and not callable(function):
            raise BadInput(f"{what}[{name!r}]={function!r}: give a function from the body to references, or None")


def listed(what: str, names: Iterable[str]) -> tuple[str, ...]:
    """Names as they were declared. Raises BadInput for a text, which is a sequence of letters, and for no names."""
    if isinstance(names, str):
        raise BadInput(f"{what}={names!r}: write a list of names, [{names!r}]")
    given = all_of(str, what, names, "names")
    return tuple(given)


def all_of(kind: type, what: str, values: Any, meant: str) -> list[Any]:
    """What is gone through, whose items are all of one kind."""
    if not isinstance(values, Iterable) or (isinstance(values, Mapping) and values):
        raise BadInput(f"{what}={values!r}: give a list of {meant}")
    found = list(values)
    for item in found:
        if not isinstance(item, kind):
            raise BadInput(f"{what} has {item!r}: give a list of {meant}")
    return found


def classes(what: str, given: Any) -> tuple[type[BaseException], ...]:
    """One class of exceptions or a tuple of them, as a tuple. Raises BadInput for anything else."""
    several = given if isinstance(given, tuple) else (given,)
    for each in several:
        if not (isinstance(each, type) and issubclass(each, BaseException)):
            name = what.rpartition(" ")[2]
            raise BadInput(
                f"{what}: {each!r} is no class of exceptions: give one ({name}=NeedsAPerson) or a tuple of them"
            )
    return several


def an_exception(what: str, make: Callable[[], Any]) -> BaseException:
    """What a maker of exceptions makes. Raises BadInput where it is none."""
    made = make()
    if not isinstance(made, BaseException):
        raise BadInput(f"{what}={make!r} gave {made!r}, which is no exception: give a class of exceptions")
    return made


def budget_fits(budget: Any) -> None:
    """Raises BadInput for what is no Budget, and for one in which nothing can be done."""
    if budget is None:
        return
    if not isinstance(budget, Budget):
        raise BadInput(f"Lab(budget={budget!r}): give a faultlab.Budget, or None for one without limits")
    _members("Budget", Budget, {name: getattr(budget, name) for name in _hints(Budget)})
    for name in _hints(Budget):
        if not getattr(budget, name) > 0:
            raise BadInput(f"Budget({name}={getattr(budget, name)!r}): give more than 0")


def terms_fit(terms: Mapping[str, Any]) -> None:
    """Raises BadInput for a parameter of a contract that has another type. Unknown ones are told elsewhere."""
    a_mapping("contract", terms, "{'profile': 'none', 'settle_s': 30}")
    a(str, "contract: profile", terms.get("profile", "none"))
    _members("contract: ", Contract, {name: value for name, value in terms.items() if name != "key"})
    if (key := terms.get("key")) is not None:
        a_mapping("contract: key", key, "{'window_s': 3600}")
        _members("contract: key.", KeyRules, key)


def _members(what: str, record: type, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        if name in (hints := _hints(record)) and not _fits(value, hints[name]):
            told = f"{what}({name}={value!r})" if what.isalpha() else f"{what}{name}={value!r}"
            raise BadInput(f"{told}: give {_told(hints[name])}")


@cache
def _hints(record: type) -> Mapping[str, Any]:
    return get_type_hints(record)


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of a kind. Of lists only that they are some: what is in them is told elsewhere."""
    if get_origin(hint) in (Union, UnionType):
        return any(_fits(value, each) for each in get_args(hint))
    if get_origin(hint) is Literal:
        return value in get_args(hint) if isinstance(value, str) else False
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if get_origin(hint) in (tuple, frozenset):
        return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
    return isinstance(value, hint)


def _told(hint: Any) -> str:
    if get_origin(hint) in (Union, UnionType):
        return " or ".join(_told(each) for each in get_args(hint))
    if get_origin(hint) is Literal:
        return " or ".join(repr(each) for each in get_args(hint))
    return "a list" if get_origin(hint) in (tuple, frozenset) else WORDS[hint]
