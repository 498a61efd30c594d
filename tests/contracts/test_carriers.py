"""Where the key travels over HTTP, and that a function takes it as idempotency_key whatever the wire has."""

import inspect
from typing import Any

import pytest
from contracts.play import Play
from contracts.things import THINGS

from faultlab.core.profiles import PROFILES
from faultlab.core.records import Call
from faultlab.engine.session import Session
from faultlab.transports import httpx_transport
from faultlab.transports.direct import sync_tools

KEYED = [name for name, contract in PROFILES.items() if contract.key is not None]


def session(profile: str, **change: Any) -> Session:
    return Play({"id": "carrier", "profile": profile, "change": change}, "direct", {"steps": []}).session


def keys(lab: Session) -> list[str | None]:
    return [event.key for event in lab.events if type(event) is Call]


@pytest.mark.parametrize("profile", KEYED)
def test_a_function_takes_the_key_by_one_name_everywhere(profile: str) -> None:
    lab = session(profile)
    make = sync_tools(lab)["make"]
    assert "idempotency_key" in inspect.signature(make).parameters
    first, again = make(name="a", idempotency_key="k1"), make(name="a", idempotency_key="k1")
    assert first["id"] == again["id"]
    assert len(lab.engine.ledger) == 1
    assert keys(lab) == ["k1", "k1"]


@pytest.mark.parametrize("profile", KEYED)
def test_the_specification_says_where_the_key_goes_over_http(profile: str) -> None:
    contract = PROFILES[profile]
    assert contract.key is not None
    spec = THINGS.tools["make"].spec(contract)
    place, _, name = contract.key.carrier.partition(" ")
    assert name in spec["description"]
    assert (f"the {place} " in spec["description"]) is True
    assert spec["contract"]["key"]["carrier"] == contract.key.carrier
    assert spec["parameters"]["properties"]["idempotency_key"]["maxLength"] == contract.key.max_length


@pytest.mark.parametrize("profile", ["ec2", "dynamodb", "powertools", "aip155"])
def test_a_body_field_is_the_key_and_no_argument(profile: str) -> None:
    lab = session(profile)
    rules = PROFILES[profile].key
    assert rules is not None
    field = rules.carrier.removeprefix("body ")
    with httpx_transport.client(lab) as client:
        first = client.post("/tools/make", json={"name": "a", field: "k1"})
        # The header that other contracts use means nothing here.
        again = client.post("/tools/make", json={"name": "a", field: "k1"}, headers={"Idempotency-Key": "k2"})
        wrong = client.post("/tools/make", json={"name": "a", field: 7})
    assert (first.status_code, again.status_code, wrong.status_code) == (200, 200, 400)
    assert first.json()["id"] == again.json()["id"]
    assert field in wrong.text
    assert keys(lab) == ["k1", "k1"]


def test_other_headers_are_never_compared() -> None:
    for profile in KEYED:
        lab = session(profile)
        rules = PROFILES[profile].key
        assert rules is not None
        place, _, name = rules.carrier.partition(" ")
        body = {"name": "a", **({name: "k1"} if place == "body" else {})}
        headers = {} if place == "body" else {name: "k1"}
        if rules.first_sent_header is not None:
            headers[rules.first_sent_header] = "Thu, 01 Jan 2026 00:00:00 GMT"
        with httpx_transport.client(lab) as client:
            answers = [
                client.post("/tools/make", json=body, headers={**headers, "Traceparent": f"00-{number}", "Date": "x"})
                for number in range(2)
            ]
        assert [answer.status_code for answer in answers] == [200, 200], profile
        assert len(lab.engine.ledger) == 1


def test_the_window_counts_from_what_the_client_states_and_not_from_the_first_receipt() -> None:
    """The first request was lost on its way: the server meets the key when its time is almost over."""
    lab = session("oasis")
    headers = {"Repeatability-Request-ID": "id1", "Repeatability-First-Sent": "Thu, 01 Jan 2026 00:00:00 GMT"}
    with httpx_transport.client(lab) as client:
        lab.clock.sleep(290)
        first = client.post("/tools/make", json={"name": "a"}, headers=headers)
        lab.clock.sleep(20)
        late = client.post("/tools/make", json={"name": "a"}, headers=headers)
    assert (first.status_code, first.headers["repeatability-result"]) == (200, "accepted")
    assert (late.status_code, late.headers["repeatability-result"]) == (412, "rejected")


def test_a_later_first_sent_does_not_make_an_old_identifier_young() -> None:
    lab = session("oasis")
    with httpx_transport.client(lab) as client:
        for wait_s, stated, status in ((200, "00:00:00", 200), (110, "00:05:00", 412)):
            lab.clock.sleep(wait_s)
            headers = {"Repeatability-Request-ID": "id1", "Repeatability-First-Sent": f"Thu, 01 Jan 2026 {stated} GMT"}
            assert client.post("/tools/make", json={"name": "a"}, headers=headers).status_code == status


def test_a_function_states_the_time_of_its_first_send() -> None:
    lab = session("oasis")
    make = sync_tools(lab)["make"]
    lab.clock.sleep(5)
    make(name="a", idempotency_key="k1")
    lab.clock.sleep(5)
    make(name="a", idempotency_key="k1")
    make(name="b", idempotency_key="k2")
    stated = [event.first_sent_ns for event in lab.events if type(event) is Call]
    sent = [event.t for event in lab.events if type(event) is Call]
    assert stated == [sent[0], sent[0], sent[2]]


@pytest.mark.parametrize("profile", [name for name in KEYED if name != "oasis"])
def test_only_oasis_asks_for_the_time_of_the_first_send(profile: str) -> None:
    lab = session(profile)
    sync_tools(lab)["make"](name="a", idempotency_key="k1")
    assert [event.first_sent_ns for event in lab.events if type(event) is Call] == [None]
