"""Canonical JSON: which values are one request, and copies that share nothing."""

import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from faultlab.core.canonical import canonical, copy_json, digest, identity_of, label

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3), max_leaves=12
)


def shuffled(value: Any) -> Any:
    """The same JSON value, written otherwise: members the other way round, whole numbers as floats."""
    if isinstance(value, dict):
        return {name: shuffled(value[name]) for name in reversed(value)}
    if isinstance(value, list):
        return [shuffled(item) for item in value]
    if type(value) is int and abs(value) < 2**53:
        return float(value)
    return value


@given(values)
@example({"a": 1e16, "b": [1.5e300, -0.0, 10.0]})
@example(["1.0", "2e+5", 0.1])
def test_one_value_has_one_text_however_it_is_written(value: Any) -> None:
    assert canonical(value) == canonical(shuffled(value))
    assert digest(value) == digest(shuffled(value))
    # A number keeps its value, a text keeps its letters.
    assert json.loads(canonical(value)) == value


@given(values, values)
def test_different_values_have_different_texts(one: Any, other: Any) -> None:
    assert (canonical(one) == canonical(other)) == (typed(one) == typed(other))


def typed(value: Any) -> Any:
    """Equality of JSON values: true is not 1, 1 is 1.0."""
    if isinstance(value, dict):
        return "object", sorted((name, repr(typed(item))) for name, item in value.items())
    if isinstance(value, list):
        return "array", [typed(item) for item in value]
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return type(value).__name__, value
    return "number", int(value) if value == int(value) else value


def test_true_is_not_one_and_text_is_not_a_number() -> None:
    assert len({canonical(item) for item in (True, 1, "1", "true", None, "null", [1], {"1": 1})}) == 8


@given(values)
def test_a_copy_is_equal_and_shares_no_container(value: Any) -> None:
    made = copy_json(value)
    assert made == value

    def containers(item: Any) -> list[int]:
        inner = item.values() if isinstance(item, dict) else item if isinstance(item, list) else ()
        own = [id(item)] if isinstance(item, dict | list) else []
        return own + [found for member in inner for found in containers(member)]

    assert not {*containers(value)} & {*containers(made)}


@given(st.tuples(st.text(), st.text()), st.tuples(st.text(), st.text()))
@example(("C5, mug", "red"), ("C5", "mug, red"))
@example(('"a', 'b, c"'), ('"a, b', 'c"'))
def test_two_pairs_of_arguments_never_share_a_label(one: tuple[str, str], other: tuple[str, str]) -> None:
    labels = [identity_of(("x", "y"), {"x": pair[0], "y": pair[1], "z": "ignored"}) for pair in (one, other)]
    assert (labels[0] == labels[1]) == (one == other)


def test_labels_read_like_calls() -> None:
    assert label("refund_order", identity_of(["order_id"], {"order_id": "A17", "amount": "1"})) == "refund_order(A17)"
    names = ["customer", "item"]
    assert label("place_order", identity_of(names, {"item": "mug", "customer": "C5"}), 2) == "place_order(C5, mug)#2"
    assert identity_of(["n"], {"n": 1}) == identity_of(["n"], {"n": 1.0}) == "1"
