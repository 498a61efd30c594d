"""A history as text and back: version 2 of the history format (docs/history.schema.json). It reads version 1 too.

The same seed gives the same bytes: no wall-clock time, no memory address, no unordered set is written.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from functools import lru_cache
from hashlib import blake2b
from operator import itemgetter
from typing import Any

from faultlab.core.agent import Budget
from faultlab.core.contract import Contract, KeyRules
from faultlab.core.errors import BadInput
from faultlab.core.history import Brief, Expectation, Expected, History, WriteTerms
from faultlab.core.records import (
    EVENT_KINDS,
    Ask,
    Call,
    Claim,
    Crashed,
    Effect,
    Event,
    Fired,
    Forgot,
    HandOver,
    Note,
    Outcome,
    Receipt,
    Reveal,
    Sight,
)

VERSION = 2
READABLE = (1, 2)
"""Version 2 only adds members and kinds of events."""


def _odd(value: Any) -> str:
    """What an agent passes may not be JSON: its type stands for it, for its repr may hold an address."""
    return f"<{type(value).__name__}>"


_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_odd).encode
_KINDS = {name: kind for kind, name in EVENT_KINDS.items()}
_SERVER_SIDE = frozenset({Fired, Effect})
_WIRE = {"kind": "what"}
"""The member `kind` says what an event is; a record's own `kind` is written as `what`."""


def dump(history: History, encode: Callable[[Any], str] = _encode) -> str:
    """One JSON object: version, brief, events, ledger, and how it ended.

    `encode` turns plain JSON data, enums and tuples into compact JSON text; any two give the same text.
    """
    rest = {
        "events": [_DUMPERS[type(event)](event) for event in history.events],
        "ledger": [_effect(effect) for effect in history.ledger],
        "end": history.end,
        "facts": history.facts,
        "error": history.error,
        "refused_hosts": history.refused_hosts,
        "horizon_ns": history.horizon_ns,
    }
    text = f'{{"version":{VERSION},"brief":{_brief_text(history.brief)},{encode(rest)[1:]}'
    # Half a surrogate pair in what an agent said has no UTF-8; a store could not keep the attempt.
    return text if text.isascii() else text.encode(errors="replace").decode()


def _call(event: Call) -> dict[str, Any]:
    """Written out, as `_receipt`: two of three events are one of these."""
    n, t, tool, what, args, identity, key, reference, if_match, scope, first_sent_ns, items, resent = event
    members: dict[str, Any] = {
        "kind": "call",
        "side": "caller",
        "n": n,
        "t": t,
        "tool": tool,
        "what": what,
        "args": args,
    }
    if identity:
        members["identity"] = identity
    if key is not None:
        members["key"] = key
    if reference is not None:
        members["reference"] = reference
    if if_match is not None:
        members["if_match"] = if_match
    if scope is not None:
        members["scope"] = scope
    if first_sent_ns is not None:
        members["first_sent_ns"] = first_sent_ns
    if items:
        members["items"] = items
    if resent:
        members["resent"] = resent
    return members


def _receipt(event: Receipt) -> dict[str, Any]:
    """In plain strings and tuples: behind an Enum or a NamedTuple an encoder looks at ten times the cost."""
    call, t, outcome, status, body, headers, error, reveals, sights = event
    members: dict[str, Any] = {"kind": "receipt", "side": "caller", "call": call, "t": t, "outcome": outcome._value_}
    if status is not None:
        members["status"] = status
    if body is not None:
        members["body"] = body
    if headers:
        members["headers"] = headers
    if error is not None:
        members["error"] = error
    if reveals:
        members["reveals"] = [*map(tuple, reveals)]
    if sights:
        members["sights"] = [*map(tuple, sights)]
    return members


def _other(event: Any) -> dict[str, Any]:
    """Members that have their default value are left out."""
    kind = type(event)
    defaults = kind._field_defaults
    members = {"kind": EVENT_KINDS[kind], "side": "server" if kind in _SERVER_SIDE else "caller"}
    for name, value in zip(kind._fields, event, strict=True):
        if name not in defaults or value != defaults[name]:
            members[_WIRE.get(name, name)] = value
    return members


_effect = _other
_DUMPERS: Mapping[type, Callable[[Any], dict[str, Any]]] = {
    Call: _call,
    Receipt: _receipt,
    Fired: _other,
    Ask: _other,
    Note: _other,
    Crashed: _other,
    Forgot: _other,
    Claim: _other,
}


def event_as_json(event: Event | Effect) -> dict[str, Any]:
    """One event or line of the ledger, as it stands in a history."""
    return _DUMPERS.get(type(event), _other)(event)


@lru_cache(maxsize=4096)
def _brief_of(brief: "_ById") -> str:
    return _encode(brief_as_json(brief.brief))


class _ById:
    """A brief holds mappings and cannot be hashed; the same object is written many times."""

    __slots__ = ("brief",)

    def __init__(self, brief: Brief) -> None:
        self.brief = brief

    def __hash__(self) -> int:
        return id(self.brief)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ById) and other.brief is self.brief


def _brief_text(brief: Brief) -> str:
    return _brief_of(_ById(brief))


def brief_as_json(brief: Brief) -> dict[str, Any]:
    """Plain JSON of a brief; sets become sorted lists."""
    return {item.name: _plain(getattr(brief, item.name)) for item in fields(Brief) if item.init}


def _plain(value: Any) -> Any:
    if isinstance(value, Contract):
        return {
            **asdict(value),
            "rejects_before_effect": sorted(value.rejects_before_effect),
            "undisclosed": sorted(value.undisclosed),
        }
    if isinstance(value, Budget | Expectation | Expected | WriteTerms):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return value


def load(text: str) -> History:
    """The inverse of `dump`. Raises BadInput for text that is not a history of a version it reads."""
    try:
        data = json.loads(text)
        if data["version"] not in READABLE:
            raise BadInput(f"history version {data['version']}; this faultlab reads versions 1 to {VERSION}")
        return History(
            brief_from_json(data["brief"]),
            [event_from_json(item) for item in data["events"]],
            [event_from_json(item) for item in data["ledger"]],
            data["end"],
            data["facts"],
            data["error"],
            tuple(data["refused_hosts"]),
            data["horizon_ns"],
        )
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise BadInput(f"this is not a history of version {VERSION}: {error!r}") from error


def brief_from_json(data: Mapping[str, Any]) -> Brief:
    contract = dict(data["contract"])
    for name in ("rejects_before_effect", "undisclosed"):
        contract[name] = frozenset(contract[name])
    if contract["key"] is not None:
        contract["key"] = KeyRules(**contract["key"])
    expectation = data["expectation"]
    return Brief(
        Contract(**contract),
        Budget(**data["budget"]),
        Expectation(
            tuple(Expected(**item) for item in expectation["effects"]),
            expectation["state"],
            tuple(expectation["must_say"]),
            tuple(expectation.get("secrets", ())),
        ),
        {name: _terms(item) for name, item in data["writes"].items()},
        tuple(data["accept"]),
        data["required_faults"],
        data["armed_faults"],
        None if data.get("authority") is None else tuple(data["authority"]),
    )


def _terms(data: Mapping[str, Any]) -> WriteTerms:
    lists = {name: tuple(data.get(name, ())) for name in ("identity", "depends_on")}
    versioned = data.get("versioned")
    return WriteTerms(**{**data, **lists, "versioned": None if versioned is None else tuple(versioned)})


def event_from_json(data: Mapping[str, Any]) -> Any:
    """The inverse of `event_as_json`. Raises LookupError, TypeError or ValueError for what is none."""
    kind: Any = _KINDS[data["kind"]]
    wire = {**data, "kind": data.get("what")}
    values = {name: wire[name] for name in kind._fields if name in wire}
    if kind is Call:
        values["items"] = tuple(values.get("items", ()))
    if kind is Receipt:
        values["outcome"] = Outcome(values["outcome"])
        values["reveals"] = tuple(
            Reveal(item[0], item[1], item[2], tuple(item[3]), *item[4:]) for item in values.get("reveals", ())
        )
        values["sights"] = tuple(Sight(*item) for item in values.get("sights", ()))
    if kind is Forgot:
        values["names"] = tuple(values["names"])
    if kind is Claim:
        values["evidence"] = tuple(values.get("evidence", ()))
        values["hand_over"] = tuple(HandOver._make([*item[:6], tuple(item[6])]) for item in values.get("hand_over", ()))
    return kind(**values)


_asked = itemgetter(*map(Call._fields.index, ("tool", "identity", "key", "reference", "if_match")))


def shape(history: History) -> str:
    """A digest of what the agent did and got, apart from ids and times: equal for equal behaviour."""
    names: dict[str | None, int] = {None: 0}
    seen = [f"{history.end} {len(history.ledger)}"]
    for event in history.events:
        kind = type(event)
        if kind is Call:
            tool, identity, key, reference, if_match = _asked(event)
            one, other = names.setdefault(key, len(names)), names.setdefault(reference, len(names))
            seen.append(f"{tool} {identity!r} {one} {other} {if_match is None}")
        elif kind is Receipt:
            number, _, outcome, status, _, _, error, _, _ = event  # type: ignore[misc]  # narrowed by `kind`
            seen.append(f"{number} {outcome._value_} {status} {error}")
        elif kind is Claim:
            claim: Claim = event  # type: ignore[assignment]  # as above
            seen.append(f"{claim.status} {claim.evidence} {sorted(claim.operations.items())}")
        elif kind is Ask:
            seen.append(repr(event[1:]))
        elif kind is Crashed or kind is Forgot:
            seen.append(f"{EVENT_KINDS[kind]} {event[1:]}")
    return blake2b("\n".join(seen).encode(errors="surrogatepass"), digest_size=8).hexdigest()
