"""`lab.url`: a real socket before an app, a transport, a router or a toolset."""

import gc
import socket
import time
import warnings
from typing import Any
from xml.etree import ElementTree as ET

import httpx
import plain_http
import pytest
import respx
from labs import WORLD
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from storefronts import ROUTE, TWINS, Shop, fastapi_shop

from faultlab import Lab
from faultlab.core.errors import BadInput
from faultlab.core.records import Receipt
from faultlab.toolsets.shop import SHOP

REFUND = {"order_id": "A17", "amount": "40.00"}
SEEN = {"timeout": "ReadTimeout", "reset": "ReadError", "close": "RemoteProtocolError", "status": 503}


def twice(url: str, wait_s: float = 0.2) -> list[str | int]:
    """What a client saw that sends again after anything but a success."""
    seen: list[str | int] = []
    with plain_http.Client(base_url=url, timeout=wait_s, trust_env=False) as client:
        for _ in range(2):
            try:
                seen.append(client.post("/v1/refunds", json=REFUND).status_code)
            except httpx.TransportError as error:
                seen.append(type(error).__name__)
            if seen[-1] == 201:
                break
    return seen


@pytest.mark.parametrize("symptom", SEEN)
@pytest.mark.parametrize("twin", TWINS)
def test_a_lost_receipt_over_a_socket(twin: str, symptom: str) -> None:
    app = fastapi_shop(threads=twin == "committed")
    with Lab(twin=twin).fault("lost_receipt", on=ROUTE, symptom=symptom).in_front_of(app) as lab:
        url = lab.url
        assert lab.run(twice, url) == [SEEN[symptom], 201]
        assert len(lab.ledger) == len(app.state.refunds) == (1 if twin == "never" else 2)
        assert "FL201" in lab.verdict().codes
        told = [event.error or event.status for event in lab.history.events if type(event) is Receipt]
        assert told == [SEEN[symptom], 201]


async def xml(request: Request) -> Response:
    answer = Response(b"<Ok>\xff</Ok>", 200, {"X-Odd": "caf\xe9", "ETag": 'W/"1"'}, "text/xml")
    answer.raw_headers.append((b"set-cookie", b"a=1"))
    answer.raw_headers.append((b"set-cookie", b"b=2"))
    answer.raw_headers.append((b"date", b"Thu, 01 Jan 1970 00:00:00 GMT"))
    return answer


async def chunks(request: Request) -> Response:
    async def parts() -> Any:
        yield b"one,"
        yield b"two"

    return StreamingResponse(parts(), media_type="text/csv")


async def nothing(request: Request) -> Response:
    return Response(status_code=204)


async def breaks(request: Request) -> Response:
    raise ValueError("the app is wrong")


def test_an_answer_comes_back_byte_for_byte() -> None:
    routes = [Route(f"/{item.__name__}", item, methods=["GET", "POST"]) for item in (xml, chunks, nothing, breaks)]
    with (
        Lab().in_front_of(Starlette(routes=routes)) as lab,
        plain_http.Client(base_url=lab.url, trust_env=False) as client,
    ):
        answer = client.post("/xml")
        assert answer.content == b"<Ok>\xff</Ok>" and answer.headers["etag"] == 'W/"1"'
        assert (b"x-odd", b"caf\xe9") in answer.headers.raw
        assert answer.headers.get_list("set-cookie") == ["a=1", "b=2"]
        assert answer.headers.get_list("date") == ["Thu, 01 Jan 1970 00:00:00 GMT"]
        streamed = client.get("/chunks")
        assert (streamed.content, streamed.headers["content-length"]) == (b"one,two", "7")
        assert "transfer-encoding" not in streamed.headers
        assert (client.post("/nothing").status_code, client.post("/breaks").status_code) == (204, 500)
        assert client.head("/xml").headers["content-length"] == "10"
        assert [effect.tool for effect in lab.ledger] == ["POST /xml", "POST /nothing"]


def test_a_replay_is_the_first_answer_again_and_never_reaches_the_app() -> None:
    shop = Shop()
    with Lab(contract="strict").in_front_of(shop.transport) as lab, plain_http.Client(base_url=lab.url) as client:
        first, second = (client.post("/v1/refunds", json=REFUND, headers={"Idempotency-Key": "k"}) for _ in range(2))
        assert (first.content, first.headers["x-shop"]) == (second.content, second.headers["x-shop"])
        assert second.headers["idempotent-replayed"] == "true" and "idempotent-replayed" not in first.headers
        assert shop.requests == 1


@pytest.mark.parametrize(("error", "seen"), [(httpx.ConnectError("gone"), "RemoteProtocolError"), (KeyError("x"), 500)])
def test_an_exception_behind_the_lab(error: Exception, seen: str | int) -> None:
    def handle(request: httpx.Request) -> httpx.Response:
        raise error

    with Lab().in_front_of(httpx.MockTransport(handle)) as lab:
        assert twice(lab.url) == [seen, seen]


def test_a_caller_that_gives_up_leaves_the_app_at_work() -> None:
    begun: list[bytes] = []

    def handle(request: httpx.Request) -> httpx.Response:
        begun.append(request.content)
        if len(begun) == 1:
            time.sleep(0.6)
        return httpx.Response(201, json={})

    with Lab().in_front_of(httpx.MockTransport(handle)) as lab:
        url = lab.url
        assert lab.run(twice, url) == ["ReadTimeout", 201]
        events = [event for event in lab.history.events if type(event) is Receipt]
        assert [event.error or event.status for event in events] == ["ReadTimeout", 201]
        assert len(lab.ledger) == 2


def test_before_a_router_with_a_host_of_its_own() -> None:
    router = respx.Router(assert_all_called=False)
    route = router.post("https://pay.example/v1/refunds").respond(201, json={"id": "re_1"})
    with Lab(twin="committed").fault("lost_receipt", on=ROUTE, symptom="reset").in_front_of(router) as lab:
        url = lab.url
        assert lab.run(twice, url) == ["ReadError", 201]
    assert route.call_count == 2 and str(route.calls.last.request.url) == "https://pay.example/v1/refunds"


@pytest.mark.parametrize("twin", TWINS)
def test_before_a_toolset(twin: str) -> None:
    with Lab(twin=twin, contract="strict").fault("lost_receipt", on="refund_order", symptom="close") as lab:
        lab.in_front_of(SHOP, world=WORLD.tables)
        url, seen = lab.url, []

        def refund() -> None:
            with plain_http.Client(base_url=url, headers={"Idempotency-Key": "k-1"}) as client:
                for _ in range(2):
                    try:
                        seen.append(client.post("/tools/refund_order", json=REFUND).status_code)
                    except httpx.RemoteProtocolError:
                        seen.append(0)

        lab.run(refund)
        assert seen in ([0, 200], [0, 409]) and len(lab.ledger) == 1


def test_a_virtual_clock_in_use_is_said_plainly() -> None:
    lab = Lab().in_front_of(Shop().transport)
    with pytest.raises(BadInput, match="before the first call"):
        lab.run(lambda: lab.url)
    lab.client().post("/v1/refunds", json=REFUND)
    with pytest.raises(BadInput, match=r'Lab\(clock="real"\)'):
        _ = lab.url
    with pytest.raises(BadInput, match="no app behind it"):
        _ = Lab().url


def test_closing_leaves_nothing_open() -> None:
    with Lab(clock="real").in_front_of(Shop().transport) as lab:
        url = lab.run(lambda: lab.url)
        idle = socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), 5)
        assert twice(url) == [201]
    with idle:
        idle.settimeout(5)
        assert idle.recv(1) == b""
    assert len(lab.ledger) == 1
    with pytest.raises(httpx.ConnectError):
        plain_http.get(url, trust_env=False)
    lab.close()
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        lab = Lab()
        gc.collect()


def test_a_refusal_under_ec2s_contract_is_xml_for_who_sends_forms() -> None:
    shop = Shop()
    with Lab(contract="ec2").in_front_of(shop.transport) as lab, plain_http.Client(base_url=lab.url) as client:
        for amount, status in (("1", 201), ("2", 400)):
            form = {"amount": amount, "ClientToken": "<t>"}
            answer = client.post("/v1/refunds", data=form)
            assert answer.status_code == status
        told = ET.fromstring(answer.content)  # noqa: S314  from our own server
        assert told.findtext("Errors/Error/Code") == "IdempotentParameterMismatch"
        assert client.post("/v1/refunds", json=form).json()["Errors"][0]["Code"] == "IdempotentParameterMismatch"
