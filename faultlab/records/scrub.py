"""Secrets are redacted before anything is stored: by the name beside them, or by their own shape.

It works on text, JSON or not, and JSON stays JSON. A value nested in a list or an object under a secret's
name is not seen unless its shape gives it away.
"""

import re
from functools import lru_cache

from pydantic_core import SchemaValidator, core_schema

from faultlab.records.rows import AttemptRow

REDACTED = "[redacted]"

_NAMES = (
    r"(?:password|secret(?:[_-]?(?:access[_-]?)?key)?|api[_-]?key"
    r"|(?:access|refresh|auth|session|api)[_-]?token|authorization|cookie)"
)
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_ESCAPED = r'\\"(?:[^"\\]|\\\\(?:\\.|[^"\\])|\\[^"\\])*\\"'
"""A quoted string inside a JSON string: the body of a message within its record."""
_SINGLE = r"'(?:[^'\"\\\n]|\\[^\"\n])*'?"
"""It ends with its line, and before a double quote, which may end the JSON string that it stands in."""
_BARE = r"(?:(?:bearer|basic|digest|token)\s+)?[^\s\"'\\,;&{}\[\]]+"

_NAMED = re.compile(
    rf"(?P<name>{_NAMES}(?:(?P<mark>\\?[\"'])\s*[:,=]|\s*[:=])\s*)(?P<value>{_QUOTED}|{_ESCAPED}|{_SINGLE}|{_BARE})",
    re.IGNORECASE,
)
_OPTION = re.compile(r"(?P<name>--[\w-]*(?:password|secret|api-key|token)[ =])(?P<value>[^\s\"',]+)")
_BEARER = re.compile(r"(?P<name>\bbearer\s+)(?P<value>[\w.~+/=-]{8,})", re.IGNORECASE)
_USER_INFO = re.compile(r"(?P<name>://[^\s/:@\"']*:)(?P<value>[^\s/@\"']+)(?=@)")
_SHAPE = re.compile(r"(?P<name>)(?P<value>\b(?:[srp]k_(?:live|test)_\w{4,}|sk-(?:proj|ant)-[\w-]{8,}))")
_PATTERNS = (_NAMED, _OPTION, _BEARER, _USER_INFO, _SHAPE)

_HINTS = (
    *("authorization", "password", "secret", "cookie", "bearer", "token", "api_key", "api-key", "apikey"),
    *("k_live_", "k_test_", "sk-proj-", "sk-ant-", "@"),
)
"""No pattern can match where none of these stands, in either case."""

_SECRET_NAME = re.compile(rf"{_NAMES}\Z", re.IGNORECASE)

_LITERALS = frozenset({"null", "true", "false"})


suspicious = SchemaValidator(
    core_schema.str_schema(pattern=f"(?i){'|'.join(map(re.escape, _HINTS))}", regex_engine="rust-regex")
).isinstance_python
"""Whether `scrub` has anything to look at. The regular expressions of pydantic-core, which SQLModel brings, look for
all hints at once: every stored row pays this, and one `in` after the other takes three times as long."""


def scrub(text: str) -> str:
    """The text with each secret replaced by `[redacted]`."""
    if suspicious(text):
        for pattern in _PATTERNS:
            text = pattern.sub(_hide, text)
    return text


def secret_name(name: str) -> bool:
    """Whether a member of this name holds a secret."""
    return suspicious(name) and _SECRET_NAME.search(name) is not None


def _hide(found: re.Match[str]) -> str:
    name, value = found["name"], found["value"]
    if value.startswith('\\"'):
        return f'{name}\\"{REDACTED}\\"'
    if value[0] in "\"'":
        return f"{name}{value[0]}{REDACTED}{value[0]}"
    mark = found.groupdict().get("mark")
    if mark is None:
        return name + REDACTED
    return found[0] if value in _LITERALS else f"{name}{mark}{REDACTED}{mark}"


_EVENTS = '"events":'
"""Where a history's Brief ends; attempts of one cell share it."""

_scrubbed = lru_cache(maxsize=1024)(scrub)


def scrub_row(row: AttemptRow) -> AttemptRow:
    """The row without secrets in any of its texts.

    Only what comes from outside is searched first: the other texts are names, digests and JSON that repeats
    parts of the history.
    """
    head, _, events = (row.history or "").partition(_EVENTS)
    if _scrubbed(head) != head or suspicious(events) or (row.dependency_error and suspicious(row.dependency_error)):
        return AttemptRow._make([scrub(item) if type(item) is str else item for item in row])
    return row
