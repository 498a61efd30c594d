"""docs/history.schema.json: it takes every history that is written, refuses broken ones, and describes each member."""

import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from attempts import Attempt, contracts, moves, plans
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from faultlab.core.contract import Contract, KeyRules
from faultlab.core.history import Brief, History, WriteTerms
from faultlab.core.profiles import PROFILES
from faultlab.core.records import EVENT_KINDS, Ask, Claim, Crashed, Forgot, HandOver, Note, Reveal
from faultlab.core.trace import dump
from faultlab.faults.plan import Planned

SCHEMA: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "docs" / "history.schema.json").read_text(encoding="utf-8")
)
VALIDATOR = Draft202012Validator(SCHEMA)
HANDED = Claim(
    "handed_over", "see", (1,), {"pay(A)": "done"}, (HandOver("pay(A)", "k", "0" * 16, None, 3, "503", (2,)),)
)


def full_history() -> dict[str, Any]:
    """One event of each kind."""
    attempt = Attempt(PROFILES["strict"], (Planned("refund_order", "after"),))
    attempt.call("refund_order", order_id="A17", amount="40.00", idempotency_key="k1", reference="r1")
    attempt.call("list_refunds", order_id="A17")
    attempt.events.append(Ask(5, "Which?", None, "A17"))
    attempt.events.append(Note(6, "store", "sent", {"key": "k1"}))
    attempt.events.append(Note(6, "store", "sent", None, gone=True))
    attempt.events.append(Crashed(7, 1, "kept"))
    attempt.events.append(Forgot(8, ("limit",)))
    return json.loads(dump(attempt.history(HANDED)))  # type: ignore[no-any-return]  # a history is an object


def test_it_is_a_schema_and_takes_a_history_with_every_kind_of_event() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    history = full_history()
    VALIDATOR.validate(history)
    kinds = {event["kind"] for event in [*history["events"], *history["ledger"]]}
    assert kinds == set(EVENT_KINDS.values())


@given(contracts, plans, moves)
@settings(max_examples=60)
def test_it_takes_whatever_is_written(contract: Contract, plan: Any, script: list[Any]) -> None:
    attempt = Attempt(contract, plan)
    for move in script:
        attempt.play(move, lambda attempt, call: True)
    VALIDATOR.validate(json.loads(dump(attempt.history(HANDED))))


def first(history: dict[str, Any], kind: str) -> dict[str, Any]:
    return next(event for event in [*history["events"], *history["ledger"]] if event["kind"] == kind)


BREAKS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "another version": lambda history: history.update(version=1),
    "no ledger": lambda history: history.pop("ledger"),
    "one member more": lambda history: history.update(more=1),
    "an unknown end": lambda history: history.update(end="bored"),
    "a call without a tool": lambda history: first(history, "call").pop("tool"),
    "a call numbered 0": lambda history: first(history, "call").update(n=0),
    "a time in seconds": lambda history: first(history, "call").update(t=0.5),
    "an unknown outcome": lambda history: first(history, "receipt").update(outcome="maybe"),
    "a body's twin": lambda history: first(history, "receipt").update(bodies=1),
    "an unknown kind": lambda history: first(history, "fault").update(kind="storm"),
    "a fault that a caller sees": lambda history: first(history, "fault").update(side="caller"),
    "an effect among the events": lambda history: history["events"].append(history["ledger"][0]),
    "a call in the ledger": lambda history: history["ledger"].append(first(history, "call")),
    "an unknown status": lambda history: first(history, "claim").update(status="fine"),
    "half a hand-over": lambda history: first(history, "claim").update(hand_over=[["pay(A)", "k"]]),
    "half a reveal": lambda history: history["events"][-7].update(reveals=[["pay", "A", None]]),
    "an unknown contract field": lambda history: history["brief"]["contract"].update(speed=1),
    "an unknown fence": lambda history: history["brief"]["contract"].update(fence="brick"),
    "a key rule missing": lambda history: history["brief"]["contract"]["key"].pop("window_s"),
    "a crash without its journal": lambda history: first(history, "crash").pop("journal"),
    "a crash that only the server sees": lambda history: first(history, "crash").update(side="server"),
    "names that are one text": lambda history: first(history, "forgot").update(names="limit"),
    "a note of a third kind": lambda history: first(history, "note").update(what="wall"),
}


@pytest.mark.parametrize("name", sorted(BREAKS))
def test_it_refuses(name: str) -> None:
    history = full_history()
    assert first({**history, "events": history["events"][-7:]}, "receipt")["reveals"]
    broken = copy.deepcopy(history)
    BREAKS[name](broken)
    assert broken != history
    assert not VALIDATOR.is_valid(broken)


def members(node: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every member and every position of a tuple that the schema defines."""
    if isinstance(node, dict):
        for name, inner in node.get("properties", {}).items():
            yield f"{path}.{name}", inner
        for number, inner in enumerate(node.get("prefixItems", [])):
            yield f"{path}[{number}]", inner
        for name, inner in node.items():
            yield from members(inner, f"{path}/{name}")


def test_every_member_is_described() -> None:
    bare = [path for path, inner in members(SCHEMA) if "$ref" not in inner and not inner.get("description", "").strip()]
    assert not bare
    assert all(inner.get("description") for inner in SCHEMA["$defs"].values())


def test_it_names_every_field_of_every_record() -> None:
    definitions = SCHEMA["$defs"]
    for kind, name in EVENT_KINDS.items():
        wire = {{"kind": "what"}.get(item, item) for item in kind._fields}  # type: ignore[attr-defined]  # NamedTuples
        assert set(definitions[name]["properties"]) == {"kind", "side"} | wire
    for record, name in (
        (Contract, "contract"),
        (KeyRules, "key_rules"),
        (Brief, "brief"),
        (WriteTerms, "write_terms"),
    ):
        assert set(definitions[name]["properties"]) == {item.name for item in fields(record) if item.init}
    assert len(definitions["reveal"]["prefixItems"]) == len(Reveal._fields)
    assert len(definitions["hand_over"]["prefixItems"]) == len(HandOver._fields)
    assert set(SCHEMA["properties"]) == {item.name for item in fields(History)} | {"version"}
