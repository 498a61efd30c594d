"""A port that belongs to one session is really closed while nobody listens there, and the same one opens again."""

import asyncio
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import plain_http
import pytest
from sockets import REFUND, Got, connect, listen, request, wire_session, wired

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


def held_until(port: InThread, session: Session, moment_s: float, then: Callable[[], None]) -> None:
    """The port's thread does nothing before that moment, and then does as told before it looks at any socket."""
    holds = threading.Event()

    def hold() -> None:
        holds.set()
        time.sleep(max(0.0, moment_s - session.clock.now() / NS))
        then()

    async def begin() -> None:
        asyncio.get_running_loop().call_soon(hold)

    threading.Thread(target=lambda: port.run(begin())).start()  # it comes back after `hold`
    assert holds.wait(5)


@pytest.mark.parametrize("sent", ["on a connection that waits to be taken", "on one that is idle", "on one, in part"])
def test_a_call_that_was_sent_before_the_port_closed_is_lost_and_written_down(sent: str) -> None:
    """Its caller cannot tell it from a lost receipt, so the history must know of it."""
    with served(outage(1.0, 3.0)) as (session, port, _):
        held = socket.create_connection(port.listener.address, 5)
        held.sendall(REFUND)
        assert listen(held, 0.2).data.startswith(b"HTTP/1.1 200")
        held_until(port, session, 1.1, port.listener.look)
        if sent.endswith("taken"):
            held.close()
            held = socket.create_connection(port.listener.address, 5)
        early = REFUND[: len(REFUND) // 2] if sent.endswith("part") else REFUND
        held.sendall(early)
        waiting = sent.endswith("taken")
        assert listen(held, 1.0).end == ("RST" if waiting else "FIN")
        if early != REFUND:
            held.sendall(REFUND[len(early) :])
        held.close()
        time.sleep(0.2)  # whoever was told hears nothing more
        seen = [(event.status, event.error) for event in session.events if type(event) is Receipt]
        assert seen == [(200, None), (None, "ReadError" if waiting else "RemoteProtocolError")]
        assert len(session.engine.ledger) == 1
        with pytest.raises(ConnectionRefusedError):
            connect(port)


def test_an_idle_connection_is_told_that_nobody_listens_and_is_over_when_somebody_does() -> None:
    with served(outage(0.5, 1.5)) as (session, port, _), connect(port) as idle:
        assert listen(idle, 1.0) == Got(b"", "FIN")
        assert port.listener.connections == 1  # it is still listened to
        until(session, 1.5)
        assert port.listener.connections == 0


def test_what_is_no_call_has_no_answer_on_a_connection_that_was_told() -> None:
    with served(outage(0.5, 5.0)) as (session, port, _), connect(port) as idle:
        assert listen(idle, 1.0) == Got(b"", "FIN")
        idle.sendall(request("GET", "/nosuch"))
        assert listen(idle, 1.0) == Got(b"", "FIN")
        until(session, 0.5)
        assert port.listener.connections == 0
        assert not [event for event in session.events if type(event) is Call]


@pytest.mark.parametrize("closed", [False, True])
def test_a_port_ends_whether_it_is_open_or_closed(closed: bool) -> None:
    with served(outage(0.0 if closed else 20.0, 30.0)) as (_, port, _):
        address = port.listener.address
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address, 1)
