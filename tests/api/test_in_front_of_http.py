"""A lab in front of a transport: what the app sees of each twin, and that what it says arrives as it is."""

import gzip
from typing import Any

import httpx
import httpx2
import pytest
from storefronts import CALLERS, ROUTE, TWINS, Shop, lost, once, retrying

from faultlab import Lab
from faultlab.core.records import Call, Receipt


@pytest.mark.parametrize("kind", CALLERS)
@pytest.mark.parametrize(
    ("twin", "refunds", "codes"),
    [
        ("clean", 1, set()),
        ("never", 1, {"FL201"}),
        ("committed", 2, {"FL101", "FL201"}),
        ("late_network", 2, {"FL101", "FL201"}),
        ("late_server", 2, {"FL101", "FL201"}),
    ],
)
def test_a_blind_retry_is_found(kind: str, twin: str, refunds: int, codes: set[str]) -> None:
    shop = Shop()
    lab = lost(twin).in_front_of(shop.transport, identity=["order_id"])
    assert lab.run(CALLERS[kind], getattr(lab, kind)()) is not None
    assert len(lab.ledger) == refunds
    assert len(shop.refunds) == refunds
    assert set(lab.verdict().codes) == codes


@pytest.mark.parametrize("kind", CALLERS)
@pytest.mark.parametrize("twin", ["clean", "never", "committed", "late_network"])
def test_a_key_that_the_contract_honours_makes_the_same_retry_clean(kind: str, twin: str) -> None:
    shop = Shop()
    lab = lost(twin, "strict").in_front_of(shop.transport)
    assert lab.run(CALLERS[kind], getattr(lab, kind)(), **{"Idempotency-Key": "k1"}) == "re_1"
    lab.assert_clean()
    assert len(shop.refunds) == 1


def test_never_does_not_reach_the_app_and_late_reaches_it_after_the_claim() -> None:
    shop = Shop()
    lab = lost("never").in_front_of(shop.transport)
    lab.run(once, lab.client())
    assert (shop.requests, lab.ledger, shop.requests) == (0, [], 0)
    for twin in ("late_network", "late_server"):
        shop = Shop()
        lab = lost(twin).in_front_of(shop.transport)
        lab.run(once, lab.client())
        assert shop.requests == 0
        assert [effect.call for effect in lab.ledger] == [1]
        assert shop.requests == 1


def test_a_replay_does_not_reach_the_app_and_says_the_same_bytes() -> None:
    shop = Shop()
    lab = Lab(contract="strict").in_front_of(shop.transport)
    with lab.client() as client:
        first, second = (
            client.post("/v1/refunds", content=b'{"order_id": "A17"}', headers={"Idempotency-Key": "k"})
            for _ in range(2)
        )
    assert (first.status_code, first.content) == (second.status_code, second.content)
    assert second.headers["idempotent-replayed"] == "true" and second.headers["x-shop"] == "1"
    assert "idempotent-replayed" not in first.headers
    assert shop.requests == 1


def test_the_contract_refuses_before_the_app_is_asked() -> None:
    shop = Shop()
    lab = Lab(contract="strict").in_front_of(shop.transport)
    with lab.client() as client:
        client.post("/v1/refunds", json={"order_id": "A17"}, headers={"Idempotency-Key": "k"})
        other = client.post("/v1/refunds", json={"order_id": "B92"}, headers={"Idempotency-Key": "k"})
    assert (other.status_code, shop.requests) == (422, 1)


def test_what_comes_from_the_app_arrives_as_it_is() -> None:
    """Status, repeated headers, content encoding, redirects, bodies that are no JSON: nothing is rewritten."""
    squeezed = gzip.compress(b"\x00\xff not json")

    def handle(request: httpx.Request) -> httpx.Response:
        headers = [("set-cookie", "a=1"), ("set-cookie", "b=2"), ("content-encoding", "gzip")]
        return httpx.Response(207, headers=headers, content=squeezed)

    lab = Lab().in_front_of(httpx.MockTransport(handle))
    for client in (lab.client(), lab.client2()):
        response = client.put("/v1/thing?x=1", content=b"\x00raw", headers={"x-a": "b"})
        assert (response.status_code, response.content) == (207, b"\x00\xff not json")
        assert response.headers.get_list("set-cookie") == ["a=1", "b=2"]
        assert response.headers["content-encoding"] == "gzip"


def test_what_the_client_sends_reaches_the_app_as_it_is() -> None:
    seen: list[Any] = []

    def handle(request: httpx2.Request) -> httpx2.Response:
        seen.append((request.method, str(request.url), request.headers["x-a"], request.content))
        return httpx2.Response(200, json=[])

    lab = Lab().in_front_of(httpx2.MockTransport(handle))
    lab.client(base_url="https://api.example").patch("/v1/th%20ing?x=1&x=2", content=b"\x00raw", headers={"x-a": "b"})
    assert seen == [("PATCH", "https://api.example/v1/th%20ing?x=1&x=2", "b", b"\x00raw")]


def test_an_exception_of_the_app_comes_out_as_without_a_lab() -> None:
    def handle(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("nobody there", request=request)

    lab = Lab().in_front_of(httpx.MockTransport(handle))
    with pytest.raises(httpx.ConnectError, match="nobody there"):
        once(lab.client())
    receipts = [event for event in lab.history.events if type(event) is Receipt]
    assert [(item.error, item.outcome.value) for item in receipts] == [("ConnectError", "not_applied")]
    assert lab.ledger == []


def test_a_refused_request_is_no_effect_and_no_struck_fault() -> None:
    shop = Shop()
    lab = lost("committed").in_front_of(shop.transport)
    lab.run(once, lab.client(), order="refused")
    assert shop.requests == 1 and lab.ledger == []
    verdict = lab.verdict()
    assert verdict.verdict != "pass"
    assert "FL901" in {finding.code for finding in verdict.findings}


def test_reads_are_no_effects_and_unsafe_methods_are() -> None:
    lab = Lab().in_front_of(httpx.MockTransport(lambda request: httpx.Response(200, json={})))
    with lab.client() as client:
        for method in ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"):
            client.request(method, "/v1/x")
    assert [effect.tool for effect in lab.ledger] == ["POST /v1/x", "PUT /v1/x", "PATCH /v1/x", "DELETE /v1/x"]


def test_the_default_identity_is_all_that_was_sent_however_it_was_written() -> None:
    lab = Lab().in_front_of(Shop().transport)
    with lab.client() as client:
        for body in (b'{"a": 1, "b": "x"}', b'{"b":"x","a":1.0}', b'{"a":1,"b":"y"}'):
            client.post("/v1/refunds", content=body)
    assert [effect.identity for effect in lab.ledger] == ["a=1, b=x", "a=1, b=x", "a=1, b=y"]
    assert lab.verdict().codes == ("FL101",) or "FL101" in {item.code for item in lab.verdict().findings}


def test_declared_effects_share_a_template_and_leave_the_rest_to_be_reads() -> None:
    lab = Lab(twin="committed").fault("lost_receipt", on="POST /v1/orders/{order}/refunds", match={"order": "B92"})
    lab.in_front_of(
        httpx.MockTransport(lambda request: httpx.Response(200, json={})),
        effects={"POST /v1/orders/{order}/refunds": ["order"]},
    )
    with lab.client() as client:
        client.post("/v1/search", json={"q": "mug"})
        client.post("/v1/orders/A17/refunds", json={"amount": "1"})
        with pytest.raises(httpx.ReadTimeout):
            client.post("/v1/orders/B92/refunds", json={"amount": "1"})
    assert [(effect.tool, effect.identity) for effect in lab.ledger] == [
        ("POST /v1/orders/{order}/refunds", "A17"),
        ("POST /v1/orders/{order}/refunds", "B92"),
    ]
    kinds = [event.kind for event in lab.history.events if type(event) is Call]
    assert kinds == ["read", "write", "write"]


def test_a_client_without_a_timeout_hangs_and_is_told_so() -> None:
    lab = lost("committed").in_front_of(Shop().transport)
    with pytest.raises(AssertionError, match="no timeout and gets no answer"):
        lab.run(once, lab.client(timeout=None))
    assert "FL903" in lab.verdict().codes


def test_an_endless_retry_is_stopped() -> None:
    def for_ever(client: Any) -> None:
        while True:
            client.get("/v1/refunds")

    lab = Lab().in_front_of(Shop().transport)
    with pytest.raises(AssertionError, match="3 times a budget") as told:
        lab.run(for_ever, lab.client())
    assert len(str(told.value).splitlines()) < 100


@pytest.mark.parametrize("twin", TWINS)
def test_time_is_virtual_in_a_run_and_real_after_it(twin: str) -> None:
    import time

    before = time.sleep
    lab = lost(twin).in_front_of(Shop().transport)
    lab.run(retrying, lab.client())
    assert time.sleep is before
    waits = [event.t for event in lab.history.events if type(event) is Call]
    assert waits == [0, 6_000_000_000]  # five seconds of patience and one of back-off


def test_the_fault_is_addressed_by_route_and_occurrence() -> None:
    lab = Lab().fault("lost_receipt", on=ROUTE, occurrence=2).in_front_of(Shop().transport)
    with lab.client() as client:
        client.post("/v1/other", json={})
        client.post("/v1/refunds", json={})
        with pytest.raises(httpx.ReadTimeout):
            client.post("/v1/refunds", json={})
