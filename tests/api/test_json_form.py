"""The JSON form of Python values: equal for equal ones, and for no others."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, StrEnum
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple
from unittest.mock import Mock
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from faultlab import Lab
from faultlab.api.json_form import NoForm, json_form, shown
from faultlab.core.canonical import canonical
from faultlab.core.errors import BadInput


class Currency(Enum):
    EUR = "eur"
    USD = "usd"


class Mood(StrEnum):
    GOOD = "good"


class Pair(NamedTuple):
    left: Any
    right: Any


@dataclass
class Money:
    amount: Any
    currency: Currency = Currency.EUR


class Order(BaseModel):
    model_config = ConfigDict(arbitrary_types_allowed=True)
    item: str
    price: Any = None


class Session:
    """A session of a database."""


KINDS: list[st.SearchStrategy[Any]] = [
    st.decimals(allow_nan=False), st.uuids(), st.dates(), st.datetimes(timezones=st.just(UTC)), st.times(),
    st.timedeltas(), st.binary(), st.sampled_from(Currency), st.text("abc/.", min_size=1).map(PurePosixPath),
    st.integers(), st.text(), st.booleans(),
]  # fmt: skip
NESTED: list[Callable[[Any], st.SearchStrategy[Any]]] = [
    st.lists,
    st.frozensets,
    lambda inner: st.builds(Money, inner),
    lambda inner: st.builds(Pair, inner, inner),
    lambda inner: st.dictionaries(st.text(max_size=2), inner),
]
PAIRS = st.one_of(
    [st.tuples(kind, kind) for kind in KINDS]
    + [st.tuples(wrap(kind), wrap(kind)) for kind in KINDS[1:] for wrap in NESTED]
)


@given(PAIRS)
def test_two_values_of_a_kind_have_one_form_only_if_they_are_equal(pair: tuple[Any, Any]) -> None:
    first, second = map(json_form, pair)
    assert json.loads(json.dumps(first)) == first
    if canonical(first) == canonical(second):
        assert pair[0] == pair[1]


@given(st.frozensets(st.text(max_size=3), max_size=8), st.randoms(use_true_random=False))
def test_a_set_has_one_form_however_it_was_filled(items: frozenset[str], random: Any) -> None:
    order = list(items)
    random.shuffle(order)
    assert json_form(set(order)) == json_form(items)


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (Decimal("40.00"), "40.00"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (Mood.GOOD, "good"),
        (date(2026, 1, 2), "2026-01-02"),
        (datetime(2026, 1, 2, 3, tzinfo=UTC), "2026-01-02T03:00:00+00:00"),
        (time(3), "03:00:00"),
        (timedelta(hours=1), "1:00:00"),
        (Path("a/b"), str(Path("a/b"))),
        (b"\x00a", "\x00a"),
        (Money(Decimal(1)), {"amount": "1", "currency": "eur"}),
        (Pair(1, (2,)), {"left": 1, "right": [2]}),
        (Order(item="mug", price=Decimal(3)), {"item": "mug", "price": "3"}),
        ({3, 1, 2}, [1, 2, 3]),
        ({Currency.EUR: 1, UUID(int=0): 2, 3: 4}, {"eur": 1, "00000000-0000-0000-0000-000000000000": 2, "3": 4}),
    ],
)
def test_the_form_is_what_an_api_would_be_sent(value: Any, form: Any) -> None:
    assert json_form(value) == form == shown(value)
    assert type(json_form(value)) is type(form)


@dataclass
class Node:
    up: "Node | None" = None
    unset: str = field(init=False)


def around() -> Node:
    node = Node()
    node.up = node
    return node


@pytest.mark.parametrize("value", [Session(), around(), Mock(), print, Session, Order(item="x", price=Session())])
def test_what_has_no_form_is_refused_or_shown_by_its_type(value: Any) -> None:
    with pytest.raises(NoForm):
        json_form([value])
    assert str(shown({"a": value})["a"] if not isinstance(value, Node) else shown(value)).startswith("<")


PAID = [(Decimal(1), Decimal(2)), (UUID(int=1), UUID(int=2)), (Currency.EUR, Currency.USD), (Money(1), Money(2)),
        (Order(item="a"), Order(item="b")), ({1}, {2}), (b"a", b"b")]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), PAID)
def test_other_arguments_are_another_operation(first: Any, second: Any) -> None:
    def pay(what: Any) -> str:
        return "paid"

    lab = Lab()
    tool = lab.wrap(pay)
    assert [tool(value) for value in (first, second)] == ["paid", "paid"]
    lab.assert_clean()
    keyed = Lab(contract="strict")

    def pay_under_a_key(what: Any, idempotency_key: str) -> str:
        return str(what)

    tool = keyed.wrap(pay_under_a_key)
    assert tool(first, idempotency_key="k") == str(first)
    with pytest.raises(Exception, match="422|not_applied|NOT_APPLIED"):
        tool(second, idempotency_key="k")


def pay(session: Session, amount: Decimal, idempotency_key: Any = None) -> str:
    return "paid"


def test_an_object_without_a_form_must_not_be_what_tells_operations_apart() -> None:
    for options in ({}, {"identity": ["session", "amount"]}):
        tool = Lab().wrap(pay, **options)
        with pytest.raises(BadInput, match=r"wrap pay: the argument 'session' holds a .* type Session.*identity="):
            tool(Session(), Decimal(1))


def test_where_others_do_it_passes_and_stands_in_the_record_by_its_type() -> None:
    lab = Lab(contract="strict")
    tool = lab.wrap(pay, identity=["amount"])
    for _ in range(2):
        assert tool(Session(), Decimal(1), idempotency_key=UUID(int=7)) == "paid"
    lab.assert_clean()
    (effect,) = lab.ledger
    assert (effect.identity, dict(effect.args)) == ("1", {"session": "<Session>", "amount": "1"})
    assert effect.key == str(UUID(int=7))


def test_a_key_without_a_form_is_refused() -> None:
    with pytest.raises(BadInput, match="'idempotency_key' holds a value of type Session"):
        Lab(contract="strict").wrap(pay, identity=["amount"])(Session(), 1, idempotency_key=Session())


def test_reads_and_identity_functions_take_any_object() -> None:
    lab = Lab()
    assert lab.wrap(pay, writes=False)(Session(), 1) == "paid"
    assert lab.wrap(pay, name="by_amount", identity=lambda args: args["amount"])(Session(), Decimal(2)) == "paid"
    assert [effect.identity for effect in lab.ledger] == ["2"]
