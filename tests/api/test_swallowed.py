"""A BadInput that is found within a call is told at the end of the run, though the code under test has caught it."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from faultlab import Lab
from faultlab.core.errors import BadInput

BODY = {"order_id": "A17", "amount": "40.00"}


def in_front() -> Lab:
    return Lab().in_front_of(httpx.MockTransport(lambda request: httpx.Response(201, json={})), identity=["number"])


def send(client: httpx.Client) -> None:
    try:
        client.post("/v1/refunds", json=BODY)
    except Exception:  # noqa: BLE001  the mistake
        return


async def asend(client: httpx.AsyncClient) -> None:
    try:
        await client.post("/v1/refunds", json=BODY)
    except Exception:  # noqa: BLE001  the mistake
        return


def over_a_socket(lab: Lab) -> None:
    with httpx.Client(base_url=lab.url) as client:
        lab.run(send, client)


DOORS: dict[str, Callable[[Lab], Any]] = {
    "client": lambda lab: lab.run(send, lab.client()),
    "async client": lambda lab: lab.run(asend, lab.async_client()),
    "socket": over_a_socket,
}


@pytest.mark.parametrize("door", DOORS)
def test_the_run_raises_it_and_the_lab_is_not_clean(door: str) -> None:
    with in_front() as lab:
        with pytest.raises(BadInput, match="identity names 'number', which a request did not have"):
            DOORS[door](lab)
        assert lab.misuse is None  # a run has told it
        assert lab.verdict().verdict == "infra_error"
        with pytest.raises(AssertionError, match="identity names 'number'"):
            lab.assert_clean()


def test_an_exception_of_the_code_does_not_hide_it() -> None:
    lab = in_front()

    def agent(client: httpx.Client) -> None:
        send(client)
        raise LookupError("no refund")

    with pytest.raises(BadInput, match="identity names 'number'"):
        lab.run(agent, lab.client())
    assert lab.run(len, "A17") == 3  # it is told once


def test_without_a_run_the_lab_still_knows() -> None:
    lab = in_front()
    send(lab.client())
    assert "identity names 'number'" in str(lab.misuse)
    with pytest.raises(AssertionError, match="identity names 'number'"):
        lab.assert_clean()


def test_an_argument_without_a_json_form() -> None:
    lab = Lab()
    refund = lab.wrap(lambda order: order, name="refund")

    def agent() -> None:
        try:
            refund(threading.Lock())
        except Exception:  # noqa: BLE001  the mistake
            return

    with pytest.raises(BadInput, match="has no JSON form"):
        lab.run(agent)


def test_under_trio_an_async_door_says_so() -> None:
    trio = pytest.importorskip("trio")
    lab = Lab().in_front_of(httpx.MockTransport(lambda request: httpx.Response(201, json={})))

    async def refund() -> Any:
        async with lab.async_client() as client:
            return await client.post("/v1/refunds", json=BODY)

    wrapped = Lab().wrap(refund)
    for function in (refund, wrapped):
        with pytest.raises(BadInput, match="under trio, and the lab knows asyncio only"):
            trio.run(function)
    assert lab.ledger == []
    assert asyncio.run(refund()).status_code == 201  # trio is loaded now, and does not run here
