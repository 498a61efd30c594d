"""A port that belongs to one session is really closed while nobody listens there, and the same one opens again."""

import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import plain_http
import pytest
from sockets import connect, wire_session, wired

from faultlab.core.clock import NS, ns
from faultlab.core.records import Call, Fired, Receipt
from faultlab.engine.session import Session
from faultlab.faults.plan import Planned
from faultlab.transports.wire.listener import InThread

READ = {"order_id": "A17"}
PAID = {"order_id": "A17", "amount": "40.00"}


def outage(begin_s: float, end_s: float, **given: Any) -> Planned:
    return Planned("*", name="outage", during_ns=(ns(begin_s), ns(end_s)), given=given)


@contextmanager
def served(*plan: Planned) -> Iterator[tuple[Session, InThread, httpx.Client]]:
    session = wire_session("strict", *plan)
    with wired(session) as port, plain_http.Client(base_url=port.url, timeout=5) as client:
        yield session, port, client


def until(session: Session, moment_s: float) -> None:
    """Wait for a moment of the session, and a little longer."""
    time.sleep(max(0.0, moment_s - session.clock.now() / NS) + 0.15)


def test_an_outage_closes_the_port_and_gives_the_same_one_back() -> None:
    with served(outage(0.6, 2.0)) as (session, port, client):
        assert client.post("/tools/get_order", json=READ).status_code == 200
        until(session, 0.6)
        for _ in range(3):
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection(port.listener.address, 1)
        with pytest.raises(httpx.ConnectError):  # its idle connection was closed
            client.post("/tools/get_order", json=READ)
        until(session, 2.0)
        assert client.post("/tools/get_order", json=READ).status_code == 200
        assert [event.n for event in session.events if type(event) is Call] == [1, 2]
        (fired,) = [event for event in session.events if type(event) is Fired]
        assert (fired.call, fired.fault, fired.symptom, fired.required) == (0, "outage", "refused", True)
        assert session.engine.server.broken is None


@pytest.mark.skipif(sys.platform != "linux", reason="the first packet is dropped by a filter of Linux")
def test_an_outage_without_an_answer_lets_whoever_connects_wait() -> None:
    with served(outage(0.0, 1.5, symptom="connect_timeout")) as (session, port, client):
        with pytest.raises(TimeoutError):
            socket.create_connection(port.listener.address, 0.5)
        until(session, 1.5)
        assert client.post("/tools/get_order", json=READ).status_code == 200


def test_a_port_is_closed_from_the_start_where_the_outage_begins_with_it() -> None:
    with served(outage(0.0, 30.0)) as (session, _, client):
        with pytest.raises(httpx.ConnectError):
            client.post("/tools/get_order", json=READ)
        assert not [event for event in session.events if type(event) is Call]


@pytest.mark.skipif(sys.platform != "linux", reason="as above")
def test_one_outage_may_follow_upon_another() -> None:
    with served(outage(0.0, 0.7), outage(0.7, 1.8, symptom="connect_timeout")) as (session, port, client):
        with pytest.raises(ConnectionRefusedError):
            connect(port)
        until(session, 0.7)
        with pytest.raises(TimeoutError):
            socket.create_connection(port.listener.address, 0.3)
        until(session, 1.8)
        assert client.post("/tools/get_order", json=READ).status_code == 200
        fired = [(event.symptom, event.required) for event in session.events if type(event) is Fired]
        assert fired == [("refused", True), ("connect_timeout", True)]


def test_a_server_that_died_refuses_until_it_is_back() -> None:
    crash = Planned("refund_order", name="server_crash", given={"step": "after_record", "down_s": 1.0})
    with served(crash) as (session, _, client):
        with pytest.raises(httpx.ReadError):
            client.post("/tools/refund_order", json=PAID, headers={"Idempotency-Key": "k1"})
        with pytest.raises(httpx.ConnectError):  # at once: the port was closed before the reset left
            client.post("/tools/refund_order", json=PAID, headers={"Idempotency-Key": "k1"})
        until(session, session.engine.down_until_ns / NS)
        again = client.post("/tools/refund_order", json=PAID, headers={"Idempotency-Key": "k1"})
        assert again.status_code == 200
        assert len(session.engine.ledger) == 1
        assert session.engine.server.broken is None


def test_an_answer_that_is_on_its_way_still_comes_out() -> None:
    slow = Planned("get_order", name="slow", given={"wait_s": 2.0})
    with served(slow, outage(1.2, 30.0)) as (session, port, client):
        assert client.post("/tools/get_order", json=READ).status_code == 200
        assert session.clock.now() > ns(1.2)
        with pytest.raises(ConnectionRefusedError):
            connect(port)
        (receipt,) = [event for event in session.events if type(event) is Receipt]
        assert receipt.status == 200


@pytest.mark.parametrize("closed", [False, True])
def test_a_port_ends_whether_it_is_open_or_closed(closed: bool) -> None:
    with served(outage(0.0 if closed else 20.0, 30.0)) as (_, port, _):
        address = port.listener.address
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address, 1)
