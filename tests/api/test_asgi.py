"""ASGI apps behind the lab, without a server: their own state changes, whoever calls and on whatever loop."""

import asyncio
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route
from storefronts import CALLERS, TWINS, aretrying, fastapi_shop, lost, retrying

from faultlab import Lab


@pytest.mark.parametrize("threads", [False, True], ids=["async endpoint", "endpoint in a thread"])
@pytest.mark.parametrize("kind", CALLERS)
@pytest.mark.parametrize("twin", TWINS)
def test_the_app_itself_holds_what_the_ledger_says(kind: str, twin: str, threads: bool) -> None:
    app = fastapi_shop(threads=threads)
    lab = lost(twin).in_front_of(app, identity=["order_id"])
    assert lab.run(CALLERS[kind], getattr(lab, kind)()) is not None
    assert [effect.identity for effect in lab.ledger] == app.state.refunds
    assert ("FL101" in lab.verdict().codes) is (twin != "never")


def test_under_a_key_a_retry_does_not_reach_the_app() -> None:
    app = fastapi_shop(threads=True)
    lab = lost("committed", "strict").in_front_of(app)
    lab.run(retrying, lab.client(), **{"Idempotency-Key": "k1"})
    lab.assert_clean()
    assert app.state.refunds == ["A17"]


def test_in_a_running_loop_the_app_runs_on_that_loop() -> None:
    """Async apps are often bound to the loop of the test, by a pool of connections for example."""
    loops: list[Any] = []

    async def endpoint(_: Request) -> JSONResponse:
        loops.append(asyncio.get_running_loop())
        return JSONResponse({"id": "re_1"})

    async def main(twin: str) -> Any:
        lab = lost(twin).in_front_of(Starlette(routes=[Route("/v1/refunds", endpoint, methods=["POST"])]))
        got = await lab.run(aretrying, lab.async_client(timeout=0.1))
        assert len(loops) == len(lab.ledger)
        assert set(loops) == {asyncio.get_running_loop()}
        return got

    for twin in ("clean", "late_network"):
        loops.clear()
        assert asyncio.run(main(twin)) == "re_1"
    assert len(loops) == 2


def test_a_cancelled_caller_leaves_the_app_at_work() -> None:
    done: list[str] = []

    async def endpoint(_: Request) -> JSONResponse:
        await asyncio.sleep(0.05)
        done.append("A17")
        return JSONResponse({}, 201)

    async def impatient(client: httpx.AsyncClient) -> None:
        async with asyncio.timeout(0.01):
            await client.post("/v1/refunds")

    async def main() -> None:
        lab = Lab(clock="real")
        lab.in_front_of(Starlette(routes=[Route("/v1/refunds", endpoint, methods=["POST"])]))
        await lab.run(impatient, lab.async_client())
        assert isinstance(lab.raised, TimeoutError)
        assert len(lab.ledger) == len(done) == 1
        assert lab.verdict().codes == ("FL204",)

    asyncio.run(main())


def test_a_client_that_does_not_wait_for_a_slow_app_gets_its_own_timeout() -> None:
    async def endpoint(_: Request) -> JSONResponse:
        await asyncio.sleep(0.2)
        return JSONResponse({}, 201)

    async def main() -> None:
        lab = Lab(clock="real")
        lab.in_front_of(Starlette(routes=[Route("/v1/refunds", endpoint, methods=["POST"])]))
        with pytest.raises(httpx.ReadTimeout):
            await lab.async_client(timeout=0.02).post("/v1/refunds")
        await lab.run(asyncio.sleep, 0)
        assert len(lab.ledger) == 1

    asyncio.run(main())


def test_an_exception_in_the_app_is_its_500() -> None:
    async def endpoint(_: Request) -> JSONResponse:
        raise ValueError("broken")

    lab = Lab().in_front_of(Starlette(routes=[Route("/v1/refunds", endpoint, methods=["POST"])]))
    assert lab.client().post("/v1/refunds").status_code == 500
    assert lab.ledger == []


def test_concurrent_requests_under_one_key_are_one_effect() -> None:
    app = fastapi_shop(threads=False)

    async def both(client: httpx.AsyncClient) -> list[int]:
        body, headers = {"order_id": "A17", "amount": "1"}, {"Idempotency-Key": "k"}
        posts = [client.post("/v1/refunds", json=body, headers=headers) for _ in range(2)]
        return sorted(response.status_code for response in await asyncio.gather(*posts))

    async def main() -> list[int]:
        lab = Lab(contract="strict", clock="real").in_front_of(app)
        return await lab.run(both, lab.async_client())  # type: ignore[no-any-return]  # run gives back what both does

    assert asyncio.run(main()) == [201, 409]
    assert app.state.refunds == ["A17"]
