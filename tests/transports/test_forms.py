"""Form bodies, flat and nested, as tool calls."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faultlab.core.actions import Reply
from faultlab.core.profiles import PROFILES
from faultlab.core.tools import Toolset, tool
from faultlab.core.world import World
from faultlab.toolsets.shop import SHOP
from faultlab.transports.codec import Asked, decode
from faultlab.transports.forms import flat, form

FORM = (b"content-type", b"application/x-www-form-urlencoded; charset=utf-8")
NAMES = st.text("abcxyz_", min_size=1, max_size=4)
VALUES = st.recursive(
    st.text(max_size=6),
    lambda inner: st.lists(inner, min_size=1, max_size=3) | st.dictionaries(NAMES, inner, min_size=1, max_size=3),
    max_leaves=8,
)


def fields(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """As Stripe's clients write it."""
    if isinstance(value, str):
        yield name, value
    else:
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for step, item in pairs:
            yield from fields(f"{name}[{step}]", item)


@given(st.dictionaries(NAMES, VALUES, max_size=4))
def test_what_was_nested_is_nested_again(value: dict[str, Any]) -> None:
    pairs = [pair for name, item in value.items() for pair in fields(name, item)]
    assert form(urlencode(pairs)) == value


@given(st.text(max_size=80))
def test_any_text_is_a_form_or_a_value_error(text: str) -> None:
    try:
        assert isinstance(form(text), dict)
    except ValueError as error:
        assert str(error)  # noqa: PT017 - either it is read, or it is told why not


def test_lists_without_numbers_and_brackets_that_do_not_fit() -> None:
    assert form("expand[]=a&expand[]=b&x=1&x=2") == {"expand": ["a", "b"], "x": ["1", "2"]}
    assert form("a[=1&b]=2&[c]=3&d[e=4&f[[g]]=5") == {"a[": "1", "b]": "2", "[c]": "3", "d[e": "4", "f[[g]]": "5"}


@pytest.mark.parametrize("text", ["a=1&a[b]=2", "a[b]=1&a=2", "a" + "[b]" * 2000 + "=1", "a=1&" * 2000])
def test_what_cannot_be_meant_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="steps deep|value and members|fields"):
        form(text)
    answer = decode("POST", b"/v1/refunds", [FORM], text.encode(), SHOP, PROFILES["none"])
    assert isinstance(answer, Reply) and (answer.status, answer.body["code"]) == (400, "not_a_form")


def test_a_form_is_a_call_like_any_other() -> None:
    body = b"order_id=A17&amount=40.00&reference=r-1"
    asked = decode("POST", b"/v1/refunds", [FORM, (b"idempotency-key", b"k-1")], body, SHOP, PROFILES["strict"])
    assert asked == Asked("refund_order", {"order_id": "A17", "amount": "40.00"}, "k-1", "r-1")


@tool(route="POST /v1/things")
def make_thing(
    world: World, name: str, count: int, tags: list[int], more: dict[str, str], size: float | None = None
) -> dict[str, Any]:
    """Make a thing."""
    return {}


def test_texts_become_what_the_schema_wants() -> None:
    body = b"name=7&count=7&tags[]=1&tags[]=x&more[a]=1&size=2.5"
    asked = decode("POST", b"/v1/things", [FORM], body, Toolset.of("things", make_thing), PROFILES["none"])
    assert isinstance(asked, Asked)
    assert asked.args == {"name": "7", "count": 7, "tags": [1, "x"], "more": {"a": "1"}, "size": 2.5}


@given(st.lists(st.tuples(NAMES, st.text(max_size=3)), max_size=6))
def test_a_name_given_several_times_is_a_list_of_its_values(pairs: list[tuple[str, str]]) -> None:
    wanted: dict[str, list[str]] = {}
    for name, value in pairs:
        wanted.setdefault(name, []).append(value)
    made = {name: values if len(values) > 1 else values[0] for name, values in wanted.items()}
    assert form(urlencode(pairs)) == flat(urlencode(pairs)) == made


def test_repeated_members_of_members_are_lists_and_brackets_of_a_query_are_letters() -> None:
    assert form("a[b]=1&a[b]=2&a[b]=3") == {"a": {"b": ["1", "2", "3"]}}
    assert flat("a[b]=1&a[b]=2&c[]=3&d=") == {"a[b]": ["1", "2"], "c[]": "3", "d": ""}


@tool(route="GET /v1/things")
def list_things(world: World, tags: list[int], name: str = "") -> dict[str, Any]:
    """List things."""
    return {}


def test_a_repeated_parameter_of_a_query_is_a_list_for_a_tool_as_well() -> None:
    asked = decode("GET", b"/v1/things?tags=1&tags=2&name=x", [], b"", Toolset.of("t", list_things), PROFILES["none"])
    assert isinstance(asked, Asked) and asked.args == {"tags": [1, 2], "name": "x"}
