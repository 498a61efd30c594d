"""An argument of the wrong type is a BadInput that names the argument and the value, where it was given."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from faultlab import Lab, strategies
from faultlab.api.fault_spec import FaultSpec
from faultlab.core.agent import Budget
from faultlab.core.errors import BadInput
from faultlab.toolsets.shop import SHOP

MOCK = httpx.MockTransport(lambda request: httpx.Response(201, json={}))


class Odd:
    """Of no type that anything wants."""

    def __repr__(self) -> str:
        return "an odd thing"


WRONG = [3, 2.5, b"x", Odd(), [Odd()], {3: 4}, {"POST /a": Odd()}, {"POST /a": {"POST /b": 3}}, (Odd,), ["a", 3]]
"""No argument below takes any of these, but those that an entry of TAKES names."""


def order(order: str) -> str:
    return order


def before(**given: Any) -> Lab:
    return Lab().in_front_of(MOCK, **given)


def over_tools(**given: Any) -> Lab:
    return Lab().in_front_of(SHOP, **given)


def fault(**given: Any) -> Lab:
    return Lab().fault(**{"name": "lost_receipt", "on": "POST /a", **given})


def spec(**given: Any) -> FaultSpec:
    return FaultSpec(**{"name": "lost_receipt", "on": "POST /a", **given})


def wrap(function: Any = order, **given: Any) -> Any:
    return Lab().wrap(function, **given)


def reading(**given: Any) -> Any:
    return Lab().wrap(order, writes=False, **given)("A17")


def plans(*addresses: Any, **given: Any) -> Any:
    return strategies.plans(*addresses or ("POST /a",), **given)


def limited(**given: Any) -> Lab:
    return Lab(budget=Budget(**given))


def terms(**given: Any) -> Lab:
    return before(contract=given)


ARGUMENTS: dict[Callable[..., Any], str] = {
    Lab: "seed contract faults twin clock budget",
    before: "identity effects reveals idempotent reference at_most contract",
    over_tools: "world at_most contract",
    terms: "profile settle_s status fence key rejects_before_effect",
    limited: "calls seconds cost",
    fault: "name on tool symptom occurrence match required raises",
    spec: "name on symptom occurrence match required raises",
    wrap: "function at_most name writes identity idempotent refuses",
    reading: "reveals",
    plans: "faults symptoms occurrences max_faults",
}
TAKES: dict[str, tuple[type, ...]] = {
    "Lab seed": (int,), "before identity": (), "terms settle_s": (int, float), "terms key": (),
    "terms rejects_before_effect": (list, tuple), "limited calls": (int,), "limited seconds": (int, float),
    "limited cost": (int, float), "fault occurrence": (int,), "spec occurrence": (int,), "wrap at_most": (int,),
    "plans occurrences": (int,), "plans max_faults": (int,),
}  # fmt: skip


@pytest.mark.parametrize("value", WRONG, ids=repr)
@pytest.mark.parametrize(
    ("door", "name"), [(door, name) for door, names in ARGUMENTS.items() for name in names.split()]
)
def test_it_is_refused_by_name(door: Callable[..., Any], name: str, value: Any) -> None:
    place = f"{door.__name__} {name}"
    if isinstance(value, TAKES.get(place, ())):
        pytest.skip("this one is right")
    if name == "raises" and value == (Odd,):
        value = 3  # a class makes something; a tuple of one does not
    if name == "match" and isinstance(value, dict):
        value = {"id": Odd()}
    if name == "world" and value == {"POST /a": {"POST /b": 3}}:
        pytest.skip("what a row is the toolset knows")
    with pytest.raises(BadInput) as told:
        door(**{name: value})
    said = str(told.value)
    assert name in said or repr(value) in said or any(repr(item) in said for item in _inner(value)), said


def _inner(value: Any) -> list[Any]:
    return [*value, *value.values()] if isinstance(value, dict) else [value]


@pytest.mark.parametrize("reached", [-1, 0, float("nan"), float("inf"), True, None, "3"])
def test_a_budget_is_of_numbers_above_nought(reached: Any) -> None:
    for name in ("calls", "seconds", "cost"):
        if not (reached is True and name != "calls"):
            with pytest.raises(BadInput, match=f"Budget\\({name}="):
                limited(**{name: reached})


def test_what_a_raises_makes_must_be_an_exception() -> None:
    lab = Lab().fault("lost_receipt", tool="order", raises=lambda: "late")
    with pytest.raises(BadInput, match="order|raises=.* gave 'late', which is no exception"):
        lab.wrap(order)("A17")


def test_a_read_may_only_reveal_what_is_wrapped() -> None:
    lab = Lab()
    read = lab.wrap(lambda order: {"order": order}, name="read", writes=False, reveals={"order": None})
    with pytest.raises(BadInput, match="reveals names 'order', which is no wrapped function: wrap it first"):
        read("A17")
    lab.wrap(order)
    assert read("A17") == {"order": "A17"}


def test_one_class_may_say_that_nothing_was_done() -> None:
    def refuse(order: str) -> str:
        raise LookupError(order)

    lab = Lab()
    refund = lab.wrap(refuse, refuses=LookupError)
    lab.run(refund, "A17")
    assert type(lab.raised) is LookupError
    assert lab.history.claim is not None and lab.history.claim.status == "not_done"
