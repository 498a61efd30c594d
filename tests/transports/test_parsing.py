"""Whatever JSON is decoded can be copied, encoded, stored and shown."""

import json
from math import isfinite
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from faultlab.core.canonical import canonical, copy_json
from faultlab.transports.parsing import DEPTH, parse, parse_whole

PIECES = (
    '"\\ud800"',
    '"\\uD83D\\uDE00"',
    '"\\\\ud800"',
    "1e999",
    "-1e999",
    "1e-999",
    "9" * 400,
    f"{'9' * 400}.5",
    "NaN",
)


def nested(text: str, depth: int) -> str:
    return '{"a":[' * (depth // 2) + text + "]}" * (depth // 2)


LEAVES = st.sampled_from(PIECES) | st.floats().map(json.dumps) | st.text().map(json.dumps) | st.text('[]{}",:e9\\ud8 ')


def around(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(inner).map(lambda items: f"[{','.join(items)}]") | st.builds(nested, inner, st.integers(0, 60))


@given(st.recursive(LEAVES, around, max_leaves=6))
@example(nested("1", 10_000))
@example(nested("1", 500))
@example("[" * 100_000)
@example("[" * 90 + "," * 5)
def test_what_is_decoded_can_be_written_again(text: str) -> None:
    try:
        value = parse(text)
    except ValueError as error:
        assert str(error)  # noqa: PT017 - either it is read, or it is told why not
        return
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    assert canonical(copy_json(value)) == canonical(parse(json.dumps(value)))


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5))
def test_what_is_json_is_decoded(value: Any) -> None:
    assert parse_whole(json.dumps(value).encode()) == parse_whole(f" {json.dumps(value)}\n".encode()) == value


@given(st.floats(allow_nan=False))
def test_a_number_is_decoded_where_it_is_finite(value: float) -> None:
    if isfinite(value):
        assert parse(repr(value)) == value
    else:
        with pytest.raises(ValueError, match="Infinity is not JSON"):
            parse(json.dumps(value))


def test_the_limit_is_of_depth_and_not_of_size() -> None:
    assert parse(nested("1", DEPTH)) == json.loads(nested("1", DEPTH))
    assert len(parse(f"[{','.join(['[]'] * 1000)}]")) == 1000
    with pytest.raises(ValueError, match=f"more than {DEPTH} deep"):
        parse(nested("1", DEPTH + 2))
