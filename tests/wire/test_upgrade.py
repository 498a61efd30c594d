"""An Upgrade and a CONNECT: nothing that may be part of a body is ever taken for a request."""

import json
import time

import pytest
from sockets import READ, REFUND, answer, connect, exchange, listen, request, wire_session, wired

from faultlab.core.records import Call

H2C = {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c", "HTTP2_Settings": "AAMAAABkAAQAAP__"}
UPGRADING = request("POST", "/tools/refund_order", b'{"order_id":"A17","amount":"40.00"}', **H2C)


@pytest.mark.parametrize("cut", [0, -35, -1])
def test_a_request_that_asks_for_an_upgrade_keeps_its_body(cut: int) -> None:
    session = wire_session("none")
    with wired(session) as server, connect(server) as sock:
        for piece in (UPGRADING[:cut], UPGRADING[cut:]) if cut else (UPGRADING,):
            sock.sendall(piece)
            time.sleep(0.05)
        assert answer(sock)[0] == 200
        sock.sendall(READ)
        assert json.loads(answer(sock)[2])["status"] == "refunded"


def test_the_body_of_an_upgrade_is_not_executed() -> None:
    session = wire_session("none")
    head = request("POST", "/tools/get_order", REFUND, **H2C).removesuffix(REFUND)
    with wired(session) as server, connect(server) as sock:
        sock.sendall(head)
        time.sleep(0.05)
        sock.sendall(REFUND)
        assert answer(sock)[0] == 400
        assert listen(sock, 0.3).data == b""
    assert not session.engine.ledger and not [event for event in session.events if type(event) is Call]


def test_an_upgrade_with_chunks_and_expect() -> None:
    head = request("POST", "/tools/refund_order", Expect="100-continue", Transfer_Encoding="chunked", **H2C)
    session = wire_session("none")
    with wired(session) as server, connect(server) as sock:
        sock.sendall(head.replace(b"Content-Length: 0\r\n", b""))
        assert sock.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        sock.sendall(b'23\r\n{"order_id":"A17","amount":"40.00"}\r\n0\r\n\r\n')
        assert answer(sock)[0] == 200


def test_many_upgrades_in_a_row() -> None:
    """More than a stack is deep."""
    with wired(wire_session("none")) as server:
        got = exchange(server, request("GET", "/v1/orders/A17", **H2C) * 1500 + UPGRADING, wait_s=2)
    assert got.data.count(b"HTTP/1.1 200 ") == 1501


@pytest.mark.parametrize("before", [b"", READ])
@pytest.mark.parametrize("target", ["lab:80", "/tools/refund_order"])
def test_a_connect_is_refused_and_what_follows_it_is_not_executed(before: bytes, target: str) -> None:
    session = wire_session("none")
    with wired(session) as server:
        got = exchange(server, before + request("CONNECT", target), REFUND, wait_s=0.3)
    assert got.data.count(b"HTTP/1.1 501 ") == 1 and got.end in ("FIN", "RST")
    assert not session.engine.ledger
