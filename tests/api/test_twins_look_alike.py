"""The twins of a lost receipt in front of an app: equal to the caller, byte for byte and moment for moment."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from storefronts import ROUTE, TWINS

from faultlab import Lab

SYMPTOMS = ("timeout", "reset", "close", "status", "truncated", "garbled", "short")
EXAMPLE = {"id": "re_0", "amount": "40.00"}


def app(request: httpx.Request) -> httpx.Response:
    if request.method == "GET":
        return httpx.Response(200, json={"what": request.url.path})
    return httpx.Response(201, json={"id": "re_1", "amount": "40.00"})


def seen(client: Any, lab: Lab, method: str, path: str) -> tuple[Any, ...]:
    """All that a caller can compare of one call: what it got, and when."""
    try:
        response = client.request(method, path, json=None if method == "GET" else {"order_id": "A17"})
        got: tuple[Any, ...] = (response.status_code, sorted(response.headers.multi_items()), response.content)
    except (httpx.HTTPError, httpx2.HTTPError) as error:
        got = (type(error).__name__, str(error))
    return (*got, lab._stand.clock.now())


def view(twin: str, symptom: str, kind: str, after: list[str]) -> list[tuple[Any, ...]]:
    lab = Lab(twin=twin).fault("lost_receipt", on=ROUTE, symptom=symptom, example=EXAMPLE)
    lab.in_front_of(httpx.MockTransport(app))
    client = getattr(lab, kind)(timeout=3.0)
    return [seen(client, lab, "POST", "/v1/refunds"), *(seen(client, lab, "GET", path) for path in after)]


@pytest.mark.parametrize("kind", ["client", "client2"])
@pytest.mark.parametrize("symptom", SYMPTOMS)
@settings(max_examples=20)
@given(after=st.lists(st.sampled_from(["/v1/orders/A17", "/v1/refunds", "/"]), max_size=4))
def test_no_caller_can_tell_them_apart(symptom: str, kind: str, after: list[str]) -> None:
    first, *others = [view(twin, symptom, kind, after) for twin in TWINS]
    assert all(other == first for other in others)


@pytest.mark.parametrize("symptom", SYMPTOMS)
def test_every_symptom_loses_the_receipt(symptom: str) -> None:
    """Nothing that arrives is a whole answer of the app."""
    ((what, *_), *_) = view("committed", symptom, "client", [])
    if symptom == "status":
        assert what == 503
    elif symptom in ("garbled", "short"):
        assert what == 200
    else:
        assert what in ("ReadTimeout", "ReadError", "RemoteProtocolError")


@pytest.mark.parametrize("own_loop", [False, True])
@pytest.mark.parametrize("twin", TWINS)
def test_a_call_beside_a_lost_receipt_gets_its_answer_in_time(twin: str, own_loop: bool) -> None:
    """On the caller's own loop an app works in real time; that another caller waits virtually is not its delay."""

    async def slow(_: httpx.Request) -> httpx.Response:
        await asyncio.sleep(0.01)
        return httpx.Response(201, json={"id": "re_1"})

    async def sent(client: httpx.AsyncClient, path: str) -> int:
        try:
            return (await client.post(path)).status_code
        except httpx.ReadTimeout:
            return 0

    lab = Lab(twin=twin).fault("lost_receipt", on=ROUTE).in_front_of(httpx.MockTransport(slow))
    client = lab.async_client()

    async def both() -> list[int]:
        return await asyncio.gather(sent(client, "/other"), sent(client, "/v1/refunds"))

    async def awaited() -> Any:
        return await lab.run(both)

    assert (asyncio.run(awaited()) if own_loop else lab.run(both)) == [201, 0]


def test_calls_of_other_threads_beside_a_lost_receipt_get_their_answers_in_time() -> None:
    def slow(_: httpx.Request) -> httpx.Response:
        time.sleep(0.002)
        return httpx.Response(201, json={"id": "re_1"})

    lab = Lab(twin="committed").fault("lost_receipt", on=ROUTE).in_front_of(httpx.MockTransport(slow))
    client = lab.client()

    def sent(number: int) -> int:
        try:
            return client.post("/v1/refunds" if number == 3 else f"/other/{number}").status_code
        except httpx.ReadTimeout:
            return 0

    def many() -> list[int]:
        with ThreadPoolExecutor(8) as pool:
            return list(pool.map(sent, range(20)))

    assert lab.run(many) == [0 if number == 3 else 201 for number in range(20)]
