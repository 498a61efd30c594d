"""A history as text and back: version 1 of the history format (docs/history.schema.json).

The same seed gives the same bytes: no wall-clock time, no memory address, no unordered set is written.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from functools import lru_cache
from typing import Any

from faultlab.core.agent import Budget
from faultlab.core.canonical import digest
from faultlab.core.contract import Contract, KeyRules
from faultlab.core.errors import BadInput
from faultlab.core.history import Brief, Expectation, Expected, History, WriteTerms
from faultlab.core.records import (
    EVENT_KINDS, Ask, Call, Claim, Effect, Event, Fired, HandOver, Outcome, Receipt, Reveal,
)

VERSION = 1
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_KINDS = {name: kind for kind, name in EVENT_KINDS.items()}
_SERVER_SIDE = frozenset({Fired, Effect})
_HEADS = {
    kind: f'"kind":"{name}","side":"{"server" if kind in _SERVER_SIDE else "caller"}"'
    for kind, name in EVENT_KINDS.items()
}
_WIRE = {"kind": "what"}
"""The member `kind` says what an event is; a record's own `kind` is written as `what`."""
_DEFAULTS = {kind: kind._field_defaults for kind in EVENT_KINDS}  # type: ignore[attr-defined]  # all are NamedTuples


def dump(history: History) -> str:
    """One JSON object: version, brief, events, ledger, and how it ended."""
    tail = {
        "end": history.end, "facts": history.facts, "error": history.error,
        "refused_hosts": history.refused_hosts, "horizon_ns": history.horizon_ns,
    }
    events = ",\n".join([_event(number, event) for number, event in enumerate(history.events, 1)])
    ledger = ",\n".join([_event(number, effect) for number, effect in enumerate(history.ledger, 1)])
    return (
        f'{{"version":{VERSION},"brief":{_brief_text(history.brief)},\n"events":[\n{events}],\n'
        f'"ledger":[\n{ledger}],\n{_encode(tail)[1:]}'
    )


def _event(number: int, event: Event | Effect) -> str:
    kind = type(event)
    defaults = _DEFAULTS[kind]
    members = {
        _WIRE.get(name, name): value for name, value in zip(event._fields, event, strict=True)
        if name not in defaults or value != defaults[name]
    }
    return f'{{"number":{number},{_HEADS[kind]},{_encode(members)[1:]}'


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
    return {item.name: _plain(getattr(brief, item.name)) for item in fields(Brief)}


def _plain(value: Any) -> Any:
    if isinstance(value, Contract):
        return {
            **value.as_spec(), "name": value.name, "undisclosed": sorted(value.undisclosed),
            "key": None if value.key is None else asdict(value.key),
        }
    if isinstance(value, Budget | Expectation | Expected | WriteTerms):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return value


def load(text: str) -> History:
    """The inverse of `dump`. Raises BadInput for text that is not a history of this version."""
    try:
        data = json.loads(text)
        if data["version"] != VERSION:
            raise BadInput(f"history version {data['version']}; this faultlab reads version {VERSION}")
        return History(
            brief_from_json(data["brief"]),
            [_event_from(item) for item in data["events"]],
            [_event_from(item) for item in data["ledger"]],
            data["end"], data["facts"], data["error"], tuple(data["refused_hosts"]), data["horizon_ns"],
        )
    except (KeyError, TypeError, ValueError) as error:
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
            tuple(Expected(**item) for item in expectation["effects"]), expectation["state"],
            tuple(expectation["must_say"]),
        ),
        {name: WriteTerms(**{**item, "identity": tuple(item["identity"])}) for name, item in data["writes"].items()},
        tuple(data["accept"]), data["required_faults"], data["armed_faults"],
    )


def _event_from(data: Mapping[str, Any]) -> Any:
    kind: Any = _KINDS[data["kind"]]
    wire = {**data, "kind": data.get("what")}
    values = {name: wire[name] for name in kind._fields if name in wire}
    if kind is Receipt:
        values["outcome"] = Outcome(values["outcome"])
        values["reveals"] = tuple(
            Reveal(item[0], item[1], item[2], tuple(item[3]), *item[4:]) for item in values.get("reveals", ())
        )
    if kind is Claim:
        values["evidence"] = tuple(values.get("evidence", ()))
        values["hand_over"] = tuple(HandOver._make([*item[:6], tuple(item[6])]) for item in values.get("hand_over", ()))
    return kind(**values)


def shape(history: History) -> str:
    """A digest of what the agent did and got, apart from ids and times: equal for equal behaviour."""
    names: dict[str | None, int] = {None: 0}

    def alias(handle: str | None) -> int:
        return names.setdefault(handle, len(names))

    seen: list[Any] = []
    for event in history.events:
        if type(event) is Call:
            seen.append((event.tool, event.identity, alias(event.key), alias(event.reference), event.if_match is None))
        elif type(event) is Receipt:
            seen.append((event.call, event.outcome, event.status, event.error))
        elif type(event) is Ask:
            seen.append((event.question, event.answer))
        elif type(event) is Claim:
            seen.append((event.status, event.evidence, sorted(event.operations.items())))
    return digest([seen, history.end, len(history.ledger)])
