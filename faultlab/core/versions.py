"""Versions of rows as entity tags, and what a write's If-Match decides.

Sources: RFC 9110 sections 8.8.3 (entity tags), 8.8.3.2 (strong comparison) and 13.1.1 (If-Match); RFC 6585
section 3 (428 Precondition Required).
"""

import re
from enum import StrEnum

FIRST = 1
"""The version of a row that nobody has written yet."""

_TAG = re.compile(r'(W/)?"([\x21\x23-\x7e\x80-\xff]*)"')
_OWN = re.compile(r'"(\d{1,18})"', re.ASCII)
_LIST = re.compile(rf"\s*,*\s*{_TAG.pattern}(?:\s*,\s*{_TAG.pattern})*\s*,*\s*")


class Precondition(StrEnum):
    """What If-Match says of a write."""

    MET = "met"
    FAILED = "failed"
    MISSING = "missing"


def etag(version: int) -> str:
    """The strong entity tag of a version. Versions only grow, so a tag is never used twice."""
    return f'"{version}"'


def strong_match(if_match: str, current: str) -> bool:
    """Whether one of the listed tags is the current one, both strong; `*` matches whatever there is.

    A field that is not a list of entity tags matches nothing: a write must not pass by a typing error.
    """
    field = if_match.strip()
    if field == "*":
        return True
    if _LIST.fullmatch(field) is None:
        return False
    return any(not weak and f'"{opaque}"' == current for weak, opaque in _TAG.findall(field))


def decide(if_match: str | None, current: str, required: bool) -> Precondition:
    """For a write to a row that exists."""
    if if_match is None:
        return Precondition.MISSING if required else Precondition.MET
    return Precondition.MET if strong_match(if_match, current) else Precondition.FAILED


def version_of(tag: str) -> int | None:
    """The version that a single strong tag names; None for a list, a weak tag, `*`, or a tag that is no version."""
    found = _OWN.fullmatch(tag.strip())
    return None if found is None else int(found[1])


def is_one_strong_tag(if_match: str) -> bool:
    """Whether it names exactly one version: not a list, not a weak tag, not `*`."""
    found = _TAG.fullmatch(if_match.strip())
    return found is not None and not found[1]
