"""Contracts: what their reader may know, and what a scenario may change of them."""

import json
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faultlab.core.contract import Contract, KeyRules, contract_text
from faultlab.core.errors import BadInput
from faultlab.core.profiles import PROFILES, contract_of

HIDEABLE = sorted({item.name for item in fields(Contract)} - {"name", "undisclosed"} | {"key.window_s"})
keys = st.none() | st.builds(
    KeyRules,
    required=st.booleans(),
    window_s=st.none() | st.sampled_from([60.0, 86_400.0]),
    on_expired=st.sampled_from(["execute", "reject"]),
    save_5xx=st.booleans(),
    replay_header=st.none() | st.just("Idempotent-Replayed"),
)
contracts = st.builds(
    Contract,
    name=st.just("drawn"),
    key=keys,
    status=st.booleans(),
    fence=st.none() | st.sampled_from(["durable", "cooperative"]),
    settle_s=st.none() | st.just(30.0),
    consistent_reads=st.booleans(),
    writers=st.sampled_from(["one", "many"]),
    rejects_before_effect=st.frozensets(st.sampled_from([429, 503])),
    undisclosed=st.frozensets(st.sampled_from(HIDEABLE), max_size=3),
)


@given(contracts)
def test_a_reader_of_the_specification_knows_the_disclosed_contract_and_no_more(contract: Contract) -> None:
    spec = json.loads(json.dumps(contract.as_spec()))
    known = Contract.from_spec(spec)
    told = contract.disclosed()
    assert replace(known, name="drawn") == told
    assert known.as_spec() == contract.as_spec()


@given(contracts)
def test_what_is_not_disclosed_counts_as_not_promised(contract: Contract) -> None:
    told, nothing = contract.disclosed(), Contract(name="drawn")
    for name in contract.undisclosed - {"key.window_s"}:
        assert getattr(told, name) == getattr(nothing, name)
    if "key.window_s" in contract.undisclosed:
        assert told.key is None or told.key.window_s is None
    for name in {item.name for item in fields(Contract)} - contract.undisclosed - {"undisclosed", "key"}:
        assert getattr(told, name) == getattr(contract, name)
    assert told.disclosed() == told


@given(contracts)
def test_the_text_tells_only_what_is_disclosed(contract: Contract) -> None:
    assert contract_text(contract) == contract_text(contract.disclosed())


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"status": True}, "operation_status answers definitively"),
        ({"fence": "durable"}, "bars for good"),
        ({"fence": "cooperative"}, "may still take effect"),
        ({"settle_s": 30}, "later than 30 s"),
        ({"writers": "one"}, "Nobody else writes"),
        ({"rejects_before_effect": [503, 429]}, "Answered before anything is done: 429, 503."),
        ({"key": {"window_s": 60}}, "within 60 s"),
        ({"key": {"window_s": None}}, "How long keys are kept is not stated"),
        ({"key": {"on_expired": "reject"}}, "An older key is refused (412)"),
        ({"key": {"required": True}}, "An idempotency key is required"),
        ({"key": {"save_5xx": True}}, "A 5xx given after execution began is kept"),
    ],
)
def test_each_promise_is_a_sentence_of_the_text(changed: dict[str, object], says: str) -> None:
    assert says not in contract_text(PROFILES["none"])
    assert says in contract_text(contract_of("x", {"profile": "none", **changed}))
    hidden = "key.window_s" if says == "within 60 s" else next(iter(changed))
    assert says not in contract_text(contract_of("x", {"profile": "none", **changed, "undisclosed": [hidden]}))


def test_a_profile_is_changed_and_keeps_the_rest() -> None:
    made = contract_of("mine", {"profile": "stripe_v1", "settle_s": 5, "key": {"window_s": 60}})
    stripe = PROFILES["stripe_v1"]
    assert stripe.key is not None
    assert made == replace(stripe, name="mine", settle_s=5, key=replace(stripe.key, window_s=60))
    assert contract_of("strict") == PROFILES["strict"]


def test_a_profile_can_lose_its_keys() -> None:
    assert contract_of("mine", {"profile": "strict", "key": None}).key is None


@pytest.mark.parametrize(
    ("name", "parameters", "says"),
    [
        ("strikt", None, ["'strikt'", "strict", "stripe_v1"]),
        ("x", {"profile": "y"}, ["'y'", "none"]),
        ("x", {"profile": "none", "settle": 3}, ["'x'", "'settle'", "settle_s", "key"]),
        ("x", {"profile": "none", "name": "y"}, ["'name'", "settle_s"]),
        ("x", {"profile": "none", "key": {"window": 3}}, ["'x'", "'window'", "window_s"]),
        ("x", {"profile": "none", "undisclosed": ["settle"]}, ["'settle'", "settle_s", "key.window_s"]),
        ("x", {"profile": "none", "undisclosed": ["key.required"]}, ["'key.required'", "key.window_s"]),
        ("x", {"profile": "none", "undisclosed": "settle_s"}, ["undisclosed is a list", "'settle_s'"]),
        ("x", {"profile": "none", "rejects_before_effect": 503}, ["rejects_before_effect is a list", "503"]),
    ],
)
def test_a_mistake_is_named_with_what_is_allowed(name: str, parameters: dict[str, object], says: list[str]) -> None:
    with pytest.raises(BadInput) as raised:
        contract_of(name, parameters)
    for word in says:
        assert word in str(raised.value)
