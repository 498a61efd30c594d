"""The key of a request: where the contract has it travel, in what form, and with what beside it."""

import re
from collections.abc import Sequence
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Any, NamedTuple

from faultlab.core.actions import Reply
from faultlab.core.contract import Contract, KeyRules
from faultlab.core.refusals import KEY_INVALID
from faultlab.engine.errors import key_error

RawHeaders = Sequence[tuple[bytes, bytes]]

DEFAULT = KeyRules().carrier
"""What `codec.scan` looks for in any case."""


class Carried(NamedTuple):
    """A key, and when the client says that it first sent the request: seconds since 1970."""

    key: str | None
    first_sent_s: float | None = None


@lru_cache(maxsize=64)
def _place(carrier: str) -> tuple[str, str]:
    place, _, name = carrier.partition(" ")
    return place, name


def carried(rules: KeyRules, headers: RawHeaders, args: dict[str, Any]) -> Carried | Reply:
    """The key of a write whose contract does not use the Idempotency-Key header; a body field is taken out of `args`.

    Raises nothing: what cannot be meant is a refusal.
    """
    place, name = _place(rules.carrier)
    if place == "body":
        value = args.pop(name, None)
        if value is not None and type(value) is not str:
            return key_error(rules, 400, KEY_INVALID, f"{name} must be a string.")
        return Carried(value)
    key = header(headers, name)
    if rules.first_sent_header is None:
        return Carried(key)
    date = header(headers, rules.first_sent_header)
    if (key is None) != (date is None):
        return rejected(rules, 400, f"{name} and {rules.first_sent_header} go together: send both or none.")
    if key is None or date is None:
        return Carried(None)
    try:
        return Carried(key, parsedate_to_datetime(date).timestamp())
    except (ValueError, OverflowError):
        return rejected(rules, 400, f"{rules.first_sent_header} must be an HTTP date, not {date!r}.")


def unsupported(rules: KeyRules, headers: RawHeaders) -> Reply | None:
    """The refusal of a repeatable request to an operation that cannot be one: it has no effect to protect."""
    if rules.first_sent_header is None or rules.result_header is None:
        return None
    if header(headers, _place(rules.carrier)[1]) is None or header(headers, rules.first_sent_header) is None:
        return None
    return rejected(rules, 501, "This operation does not support repeatability.")


def rejected(rules: KeyRules, status: int, detail: str) -> Reply:
    """A refusal that says, where the contract has a header for that, that nothing was executed."""
    reply = key_error(rules, status, KEY_INVALID, detail)
    if rules.result_header is None:
        return reply
    return reply._replace(headers={**reply.headers, rules.result_header.lower(): "rejected"})


def header(headers: RawHeaders, name: str) -> str | None:
    """The last value of a header field."""
    wanted, found = name.lower().encode("latin-1"), None
    for field, value in headers:
        if field.lower() == wanted:
            found = value.decode("latin-1").strip()
    return found


def key_of(text: str, contract: Contract) -> str | Reply:
    """The key that an Idempotency-Key header means, by the contract's rule for quotes; or a refusal."""
    rules = contract.key
    if rules is not None and rules.quoted == "never":
        return text
    inner = unquoted(text)
    if inner is not None:
        return inner
    if rules is not None and rules.quoted == "required":
        return key_error(rules, 400, KEY_INVALID, f'The Idempotency-Key must be a quoted string: "{text}".')
    if rules is not None and _LIST.fullmatch(text):
        return key_error(rules, 400, KEY_INVALID, f"The Idempotency-Key must be one string, and {text} is a list.")
    return text


_ITEM = (
    r'"((?:[^"\\]|\\["\\])*)"'
    r"(?:; *[a-z*][a-z0-9_.*-]*(?:=(?:"
    r'%?"(?:[^"\\]|\\["\\])*"|@?-?\d+(?:\.\d+)?|[A-Za-z*][\w!#$%&\'*+.^`|~:/-]*|:[\w+/=]*:|\?[01]))?)*'
)
_STRING = re.compile(_ITEM)
_LIST = re.compile(rf"{_ITEM}(?:[ \t]*,[ \t]*{_ITEM})+")


def unquoted(text: str) -> str | None:
    """The content of a quoted string (RFC 9651 section 3.3.3), whose parameters mean nothing here (section 3.1.2).

    None for a text that is none.
    """
    if len(text) > 1 and text[0] == text[-1] == '"' and '"' not in (inner := text[1:-1]) and "\\" not in inner:
        return inner  # the usual case
    found = _STRING.fullmatch(text)
    if found is None:
        return None
    return re.sub(r"\\(.)", r"\1", found[1]) if "\\" in found[1] else found[1]
