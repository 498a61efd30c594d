"""What waits on a connection: its turn, and what becomes of it where the connection ends; answers are durable late."""

import asyncio
import re
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from labs import fault
from sockets import READ, REFUND, answer, connect, exchange, request, wire_session, wired

from faultlab.core.records import Call, Receipt
from faultlab.engine.session import Session
from faultlab.faults.plan import Planned
from faultlab.transports.wire.gate import Gate, Work
from faultlab.transports.wire.listener import InThread, OneSession
from faultlab.transports.wire.own_port import OwnPort

LATE_S = 0.15


class LateGate:
    """As a store has it that takes its time: an effect at once, its receipt later."""

    def enter(self, session: Session, work: Work, release: Work) -> None:
        work()
        asyncio.get_running_loop().call_later(LATE_S, release)


class SoonGate:
    """As a store has it that is fast: after some rounds of the loop."""

    def enter(self, session: Session, work: Work, release: Work) -> None:
        work()
        loop = asyncio.get_running_loop()
        loop.call_soon(loop.call_soon, loop.call_soon, release)


@contextmanager
def late(session: Session, gate: Gate | None = None) -> Iterator[InThread]:
    with InThread(OwnPort.of(OneSession(session), gate=gate or LateGate())) as server:
        yield server


def until(sock: socket.socket, text: bytes, times: int = 1) -> bytes:
    """What comes until the text has come so often."""
    data = b""
    while data.count(text) < times:
        chunk = sock.recv(65536)
        assert chunk, f"the connection ended after {data!r}"
        data += chunk
    return data


def receipts(session: Session) -> list[tuple[int | None, str | None]]:
    return [(event.status, event.error) for event in session.events if type(event) is Receipt]


@pytest.mark.parametrize("speed", range(3))
def test_answers_keep_the_order_of_the_requests_whenever_they_come(speed: int) -> None:
    """A request that comes just as another has been answered does not overtake those that wait."""
    names = [f"Z{number}" for number in range(120)]
    with late(wire_session("none"), gate=SoonGate()) as server, connect(server) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for name in names:
            sock.sendall(request("GET", f"/v1/orders/{name}"))
            time.sleep(0.0003 * speed)
        told = until(sock, b"no order", len(names))
    assert re.findall(rb"no order (Z\d+)", told) == [name.encode() for name in names]


@pytest.mark.parametrize("symptom", ["reset", "close", "truncated"])
def test_what_stands_behind_a_call_that_ends_the_connection_is_not_executed(symptom: str) -> None:
    for serve in (wired, late):
        session = wire_session("none", fault("after", symptom))
        with serve(session) as server:
            exchange(server, REFUND + READ + REFUND, wait_s=0.5)
        assert [event.n for event in session.events if type(event) is Call] == [1], serve


def test_a_peer_that_only_stops_writing_gets_all_answers_and_then_the_end() -> None:
    session = wire_session("none")
    with late(session) as server:
        got = exchange(server, REFUND + READ, half_close=True)
    assert got.data.count(b"HTTP/1.1 200 ") == 2 and got.end == "FIN"
    assert receipts(session) == [(200, None), (200, None)]


def test_a_peer_that_stopped_writing_is_told_of_no_silence_behind_an_answer() -> None:
    session = wire_session("none", Planned("refund_order", phase="after", symptom="timeout"))
    with late(session) as server:
        got = exchange(server, READ + REFUND, half_close=True)
    assert got.data.count(b"HTTP/1.1 200 ") == 1 and got.end == "FIN"
    assert receipts(session) == [(200, None), (None, "ReadTimeout")]


def test_a_request_that_was_read_whole_is_answered_before_the_garbage_behind_it() -> None:
    session = wire_session("none")
    with late(session) as server:
        got = exchange(server, REFUND + READ + b"\x01\r\n\r\n", b"more")
    assert re.findall(rb"HTTP/1.1 (\d+) ", got.data) == [b"200", b"200", b"400"]
    assert receipts(session) == [(200, None), (200, None)]


def test_expect_continue_behind_another_request_has_its_turn() -> None:
    body = b'{"order_id":"A17","amount":"40.00"}'
    head = request("POST", "/tools/refund_order", body, Expect="100-continue").removesuffix(body)
    with late(wire_session("none")) as server, connect(server) as sock:
        sock.sendall(READ + head)
        assert until(sock, b" 100 Continue\r\n\r\n").startswith(b"HTTP/1.1 200 ")
        sock.sendall(body)
        assert answer(sock)[0] == 200


def test_a_server_that_crashes_closes_its_port_though_the_caller_has_left() -> None:
    crash = Planned("refund_order", name="server_crash", given={"step": "after_record", "down_s": 30.0})
    session = wire_session("strict", crash)
    sent = request("POST", "/tools/refund_order", b'{"order_id":"A17","amount":"40.00"}', Idempotency_Key="k")
    with late(session) as server:
        with connect(server) as sock:
            sock.sendall(sent)
        time.sleep(LATE_S * 3)
        with pytest.raises(ConnectionRefusedError):
            connect(server)
