"""Entity tags and If-Match: the examples of RFC 9110 section 8.8.3.2, and laws."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faultlab.core.versions import Precondition, decide, etag, strong_match


@pytest.mark.parametrize(
    ("field", "current", "matches"),
    [
        ('"1"', '"1"', True),
        ('W/"1"', '"1"', False),
        ('W/"1"', 'W/"1"', False),
        ('"2"', '"1"', False),
        ('"0", "1"', '"1"', True),
        ('W/"1", "1"', '"1"', True),
        ('  "1"  ', '"1"', True),
        (',"1",', '"1"', True),
        ("*", '"1"', True),
        ("1", '"1"', False),
        ('"1', '"1"', False),
        ('"1" "2"', '"1"', False),
        ("", '"1"', False),
    ],
)
def test_strong_comparison(field: str, current: str, matches: bool) -> None:
    assert strong_match(field, current) is matches


@given(st.lists(st.integers(1, 9), min_size=1), st.integers(1, 9))
def test_a_list_matches_exactly_when_it_names_the_version(listed: list[int], current: int) -> None:
    assert strong_match(", ".join(map(etag, listed)), etag(current)) is (current in listed)


@given(st.text(), st.integers(1, 9))
def test_no_text_but_the_tag_itself_or_a_list_with_it_matches(field: str, current: int) -> None:
    assert not strong_match(field, etag(current)) or field.strip() == "*" or etag(current) in field


def test_what_a_write_is_told() -> None:
    assert decide(None, '"1"', required=True) is Precondition.MISSING
    assert decide(None, '"1"', required=False) is Precondition.MET
    assert decide('"1"', '"1"', required=True) is Precondition.MET
    assert decide('"2"', '"1"', required=False) is Precondition.FAILED
