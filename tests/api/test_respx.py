"""A lab mounted on a respx router: code that makes its own clients meets it unchanged."""

import asyncio
import time
from types import ModuleType
from typing import Any

import httpx
import httpx2
import pytest
import respx

from faultlab import Lab
from faultlab.api.respx_httpx2 import HTTPX2

URL = "https://pay.example/v1/refunds"
LIBRARIES = [pytest.param("httpcore", httpx, id="httpx"), pytest.param(HTTPX2, httpx2, id="httpx2")]


def refund(library: ModuleType) -> str:
    with library.Client() as client:
        for _ in range(3):
            try:
                return str(client.post(URL, json={"order_id": "A17"}).raise_for_status().json()["id"])
            except library.TransportError:
                time.sleep(1)
    raise RuntimeError("gave up")


async def arefund(library: ModuleType) -> str:
    async with library.AsyncClient() as client:
        for _ in range(3):
            try:
                return str((await client.post(URL, json={"order_id": "A17"})).raise_for_status().json()["id"])
            except library.TransportError:
                await asyncio.sleep(1)
    raise RuntimeError("gave up")


@pytest.mark.parametrize("symptom", ["timeout", "reset", "close", "truncated"])
@pytest.mark.parametrize("function", [refund, arefund])
@pytest.mark.parametrize(("using", "library"), LIBRARIES)
def test_a_blind_retry_is_found(using: str, library: ModuleType, function: Any, symptom: str) -> None:
    for twin, reached, codes in (("never", 1, {"FL201"}), ("committed", 2, {"FL101", "FL201"})):
        with respx.mock(using=using) as router:
            route = router.post(URL).respond(201, json={"id": "re_1"})
            lab = Lab(twin=twin).fault("lost_receipt", on="POST /v1/refunds", symptom=symptom, example={"id": "re_0"})
            lab.in_front_of(router)
            assert lab.run(function, library) == "re_1"
            assert set(lab.verdict().codes) == codes
            assert (route.call_count, router.calls.call_count) == (reached, 2)


@pytest.mark.parametrize(("using", "library"), LIBRARIES)
@pytest.mark.parametrize("late", ["late_network", "late_server"])
def test_what_comes_late_reaches_the_route_after_the_claim(using: str, library: ModuleType, late: str) -> None:
    with respx.mock(using=using) as router:
        route = router.post(URL).respond(201, json={"id": "re_1"})
        lab = Lab(twin=late).fault("lost_receipt", on="POST /v1/refunds").in_front_of(router)
        lab.run(refund, library)
        assert route.call_count == 1
        assert "FL101" in lab.verdict().codes
        assert route.call_count == 2


def test_routes_added_after_the_mount_are_behind_the_lab_too() -> None:
    with respx.mock() as router:
        lab = Lab().in_front_of(router)
        router.post(URL).respond(201, json={"id": "re_1"})
        router.get(url__regex=r"https://pay.example/v1/(?P<what>\w+)").mock(
            side_effect=lambda request, what: httpx.Response(200, json=[what])
        )
        lab.run(refund, httpx)
        assert httpx.get("https://pay.example/v1/things").json() == ["things"]
        lab.assert_clean()
        assert [effect.tool for effect in lab.ledger] == ["POST /v1/refunds"]


def test_what_a_route_raises_comes_out_and_is_recorded() -> None:
    with respx.mock() as router:
        router.post(URL).mock(side_effect=httpx.ConnectError)
        lab = Lab().in_front_of(router)
        lab.run(refund, httpx)
        assert type(lab.raised) is RuntimeError
        assert lab.ledger == [] and lab.history.claim is not None and lab.history.claim.status == "not_done"


def test_async_side_effects_are_awaited() -> None:
    async def side_effect(request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(0)
        return httpx.Response(201, json={"id": "re_7"})

    with respx.mock() as router:
        router.post(URL).mock(side_effect=side_effect)
        lab = Lab().in_front_of(router)
        assert lab.run(arefund, httpx) == "re_7"
        lab.assert_clean()


def test_a_sync_client_inside_a_running_loop() -> None:
    async def main() -> None:
        with respx.mock() as router:
            router.post(URL).respond(201, json={"id": "re_1"})
            lab = Lab().in_front_of(router)
            assert lab.run(refund, httpx) == "re_1"

    asyncio.run(main())


def test_the_labs_own_client_reaches_the_routes() -> None:
    router = respx.Router(assert_all_called=False)
    router.post(URL).respond(201, json={"id": "re_1"})
    lab = Lab().in_front_of(router)
    assert lab.client2().post(URL).json() == {"id": "re_1"}
    assert len(lab.ledger) == 1


def test_respx_itself_intercepts_httpx2_without_a_lab() -> None:
    with respx.mock(using=HTTPX2) as router:
        router.get(URL).respond(200, json=[1])
        router.post(URL).mock(side_effect=httpx.ReadTimeout)
        assert httpx2.get(URL).json() == [1]
        with pytest.raises(httpx2.ReadTimeout):
            httpx2.post(URL)


def test_after_the_mock_the_router_is_as_it_was() -> None:
    with respx.mock(assert_all_called=False) as router:
        Lab().in_front_of(router)
    assert len(router.routes) == 0
