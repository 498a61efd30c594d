"""Contracts: what their reader may know, and what a scenario may change of them."""

import json
from dataclasses import fields, replace
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faultlab.core.contract import Contract, ErrorForm, KeyRules
from faultlab.core.errors import BadInput
from faultlab.core.profiles import PROFILES, contract_of
from faultlab.core.promises import contract_text

HIDEABLE = sorted({item.name for item in fields(Contract)} - {"name", "undisclosed"} | {"key.window_s"})
keys = st.none() | st.builds(
    KeyRules,
    required=st.booleans(),
    carrier=st.sampled_from(["header Idempotency-Key", "header X-Request", "body ClientToken"]),
    scope=st.sampled_from(["account", "tool", "region"]),
    compares=st.sampled_from(["all", "none"]) | st.lists(st.sampled_from(["amount", "size"]), min_size=1).map(tuple),
    window_s=st.none() | st.sampled_from([60.0, 86_400.0]),
    window_from=st.sampled_from(["receipt", "completion", "resource_end"]),
    on_expired=st.sampled_from(["execute", "reject"]),
    lease_s=st.none() | st.just(900.0),
    retry_after_s=st.none() | st.just(1),
    advice_header=st.none() | st.just("transient-error"),
    replay_header=st.none() | st.just("Idempotent-Replayed"),
    result_header=st.none() | st.just("Repeatability-Result"),
    echoes_key=st.booleans(),
    replay_body=st.sampled_from(["original", "updated"]),
    save_4xx=st.booleans(),
    save_5xx=st.booleans(),
    frees_on_5xx=st.booleans(),
    error_body=st.sampled_from(get_args(ErrorForm)),
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
        ({"read_lag_s": 3}, "shows everything older than 3 s"),
        ({"poll_s": 9}, "less than 9 s apart"),
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


OTHER: dict[str, dict[str, Any]] = {
    "required": {"required": True},
    "carrier": {"carrier": "body ClientToken"},
    "first_sent_header": {"first_sent_header": "First-Sent", "window_from": "first_sent"},
    "scope": {"scope": "tool"},
    "compares": {"compares": ["amount"]},
    "window_s": {"window_s": 60},
    "window_from": {"window_from": "completion"},
    "on_expired": {"on_expired": "reject"},
    "mismatch_status": {"mismatch_status": 400},
    "in_flight_status": {"in_flight_status": 425},
    "lease_s": {"lease_s": 900},
    "retry_after_s": {"retry_after_s": 3},
    "advice_header": {"advice_header": "transient-error"},
    "replay_header": {"replay_header": "Idempotent-Replayed"},
    "result_header": {"result_header": "Repeatability-Result"},
    "echoes_key": {"echoes_key": True},
    "replay_body": {"replay_body": "updated"},
    "save_4xx": {"save_4xx": False},
    "save_5xx": {"save_5xx": True},
    "frees_on_5xx": {"frees_on_5xx": True},
    "max_length": {"max_length": 36},
    "quoted": {"quoted": "never"},
    "error_body": {"error_body": "google"},
}


@pytest.mark.parametrize("name", [item.name for item in fields(KeyRules)])
def test_every_parameter_of_keys_is_told_in_plain_words_and_only_where_it_is_disclosed(name: str) -> None:
    changed = {"profile": "none", "key": OTHER[name]}
    plain = contract_text(contract_of("x", {"profile": "none", "key": {}}))
    assert contract_text(contract_of("x", changed)) != plain
    hidden = contract_text(contract_of("x", {**changed, "undisclosed": ["key"]}))
    assert hidden == contract_text(PROFILES["none"])


@pytest.mark.parametrize("profile", [name for name, item in PROFILES.items() if item.key is not None])
def test_no_two_profiles_promise_the_same(profile: str) -> None:
    told = [name for name, item in PROFILES.items() if contract_text(item) == contract_text(PROFILES[profile])]
    assert told == [profile]


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
        ("x", {"profile": "none", "key": {"carrier": "ClientToken"}}, ["'x'", "'ClientToken'", "body FIELD"]),
        ("x", {"profile": "none", "key": {"carrier": "query token"}}, ["'query token'", "header NAME"]),
        ("x", {"profile": "none", "key": {"window_from": "first_sent"}}, ["window_from", "first_sent_header"]),
        ("x", {"profile": "oasis", "key": {"window_from": "receipt"}}, ["window_from", "first_sent_header"]),
        ("x", {"profile": "none", "rejects_before_effect": 503}, ["rejects_before_effect is a list", "503"]),
    ],
)
def test_a_mistake_is_named_with_what_is_allowed(name: str, parameters: dict[str, object], says: list[str]) -> None:
    with pytest.raises(BadInput) as raised:
        contract_of(name, parameters)
    for word in says:
        assert word in str(raised.value)
