"""When two multipart bodies hold the same parts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faultlab.core.multipart import steady

BOUNDARIES = st.from_regex(r"[0-9A-Za-z'()+_,\-./:=?]{1,70}", fullmatch=True).filter(lambda text: text.strip() == text)
PARTS = st.lists(st.tuples(st.sampled_from("ab"), st.binary(max_size=12)), min_size=1, max_size=3)


def encoded(parts: list[tuple[str, bytes]], boundary: str) -> tuple[str, bytes]:
    content_type = f'multipart/form-data; charset=utf-8; Boundary="{boundary}"'
    lines = [b"--%b\r\n%b" % (boundary.encode(), _part(name, content)) for name, content in parts]
    return content_type, b"".join(lines) + b"--%b--\r\n" % boundary.encode()


def _part(name: str, content: bytes) -> bytes:
    return b'Content-Disposition: form-data; name="%b"\r\n\r\n%b\r\n' % (name.encode(), content)


@given(PARTS, PARTS, BOUNDARIES, BOUNDARIES)
def test_the_boundary_says_nothing_and_the_parts_all(
    parts: list[tuple[str, bytes]], others: list[tuple[str, bytes]], first: str, second: str
) -> None:
    if any(f"\n--{mark}".encode() in b"\n" + content for mark in (first, second) for _, content in parts + others):
        return  # no boundary of these parts
    one, other = encoded(parts, first), encoded(others, second)
    assert (steady(*one) == steady(*other)) == (parts == others)
    assert steady(*encoded(parts, second)) == steady(*one)


@pytest.mark.parametrize(
    "content_type",
    ["multipart/form-data; boundary=ab", 'Multipart/Mixed;boundary="ab" ; x=y', "multipart/related; a=b; BOUNDARY=ab"],
)
def test_quoted_or_not(content_type: str) -> None:
    body = b"preamble\r\n--ab\r\n\r\n--abc and --ab inside\r\n--ab-- \r\n"
    assert steady(content_type, body) == (
        b"preamble\r\n--<boundary>\r\n\r\n--abc and --ab inside\r\n--<boundary>-- \r\n"
    )


@given(
    st.binary(), st.sampled_from(["", "application/json", "multipart/form-data", "multipart/x; boundary=", "text/x"])
)
def test_any_other_body_is_as_it_is(body: bytes, content_type: str) -> None:
    assert steady(content_type, body) == body
