"""Apps and callers that have never heard of faultlab, for the tests of the lab in front of them."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import httpx
import httpx2
from fastapi import FastAPI
from pydantic import BaseModel

from faultlab import Lab

TWINS = ("never", "committed", "late_network", "late_server")
ROUTE = "POST /v1/refunds"
TRANSPORT_ERRORS = (httpx.TransportError, httpx2.TransportError)


class Shop:
    """A MockTransport that keeps what it did."""

    def __init__(self) -> None:
        self.refunds: list[bytes] = []
        self.requests = 0
        self.transport = httpx.MockTransport(self.handle)

    def handle(self, request: httpx.Request) -> httpx.Response:
        self.requests += 1
        if request.method == "GET":
            return httpx.Response(200, json={"refunds": [text.decode() for text in self.refunds]})
        if b"refused" in request.content:
            return httpx.Response(422, json={"error": "refused"})
        self.refunds.append(request.content)
        return httpx.Response(201, json={"id": f"re_{len(self.refunds)}"}, headers={"x-shop": "1"})


class Refund(BaseModel):
    order_id: str
    amount: str


def fastapi_shop(*, threads: bool) -> FastAPI:
    """`threads`: its endpoint is an ordinary function, which FastAPI runs in a thread."""
    app = FastAPI()
    app.state.refunds = []

    def refund(body: Refund) -> dict[str, str]:
        app.state.refunds.append(body.order_id)
        return {"id": f"re_{len(app.state.refunds)}"}

    async def arefund(body: Refund) -> dict[str, str]:
        await asyncio.sleep(0)
        return refund(body)

    app.post("/v1/refunds", status_code=201)(refund if threads else arefund)
    return app


def retrying(client: Any, order: str = "A17", **headers: str) -> str:
    """Sends again after every transport error, as much code does."""
    for attempt in range(3):
        try:
            response = client.post("/v1/refunds", json={"order_id": order, "amount": "40.00"}, headers=headers)
            response.raise_for_status()
            return str(response.json()["id"])
        except TRANSPORT_ERRORS:
            time.sleep(2.0**attempt)
    raise RuntimeError("gave up")


async def aretrying(client: Any, order: str = "A17", **headers: str) -> str:
    for attempt in range(3):
        try:
            response = await client.post("/v1/refunds", json={"order_id": order, "amount": "40.00"}, headers=headers)
            response.raise_for_status()
            return str(response.json()["id"])
        except TRANSPORT_ERRORS:
            await asyncio.sleep(2.0**attempt)
    raise RuntimeError("gave up")


def once(client: Any, order: str = "A17", **headers: str) -> str:
    """Sends once, and lets the exception out."""
    response = client.post("/v1/refunds", json={"order_id": order, "amount": "40.00"}, headers=headers)
    response.raise_for_status()
    return str(response.json()["id"])


def lost(twin: str, contract: Any = "none", **more: Any) -> Lab:
    """A lab that loses the receipt of the first refund."""
    return Lab(twin=twin, contract=contract).fault("lost_receipt", on=ROUTE, **more)


CALLERS: dict[str, Callable[..., Any]] = {
    "client": retrying,
    "client2": retrying,
    "async_client": aretrying,
    "async_client2": aretrying,
}
"""Name of the lab's method that makes the client -> who uses it."""
