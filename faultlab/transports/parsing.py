"""JSON as others write it, into values that can be written again: copied, stored, shown."""

from json import JSONDecoder, JSONEncoder
from math import isfinite
from typing import Any, NoReturn

DEPTH = 100
"""So deep may lists and objects be nested. What walks a value later is recursive, and Python allows 1,000 calls."""


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON (RFC 8259 section 6)")


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise ValueError(f"{text[:20]} is beyond the range of a number (RFC 7493 section 2.2)")
    return value


_decoder = JSONDecoder(parse_float=_finite, parse_constant=_no_constant)
_encode = JSONEncoder(ensure_ascii=False).encode


def parse(text: str) -> Any:
    """One JSON value. Raises ValueError: what is no JSON is a JSONDecodeError, half a surrogate pair, which no text can
    hold (RFC 7493 section 2.1), a UnicodeError.

    Clients write no blanks around it, and looking for them costs as much as the value.
    """
    try:
        value, end = _decoder.raw_decode(text)
    except RecursionError:
        raise _too_deep() from None
    except ValueError:
        end = -1
    if end != len(text):
        value = _decoder.decode(text)
    if text.count("[") + text.count("{") > DEPTH and _deeper(value, DEPTH):
        raise _too_deep()
    if "\\u" in text and "\\ud" in text.lower():
        _encode(value).encode()
    return value


def parse_whole(body: bytes) -> Any:
    """One JSON value of a body. Raises ValueError as `parse`; also a body that is not UTF-8 is a UnicodeError."""
    return parse(body.decode())


def _deeper(value: Any, levels: int) -> bool:
    """Whether more than so many lists and objects are nested."""
    kind = type(value)
    if kind is not dict and kind is not list:
        return False
    inner = value.values() if kind is dict else value
    return levels == 0 or any(_deeper(item, levels - 1) for item in inner)


def _too_deep() -> ValueError:
    return ValueError(f"lists and objects are nested more than {DEPTH} deep")
