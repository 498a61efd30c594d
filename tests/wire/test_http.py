"""HTTP/1.1 as peers speak it: keep-alive, pipelining, chunks, Expect, HEAD, HTTP/1.0, and what is none."""

import json
import socket
import time

import pytest
from labs import fault
from sockets import READ, REFUND, answer, connect, exchange, listen, request, wire_session, wired

from faultlab.transports.wire.limits import Limits


def test_a_connection_serves_many_requests() -> None:
    session = wire_session("strict")
    with wired(session) as server, connect(server) as sock:
        for _ in range(5):
            sock.sendall(READ)
            status, headers, body = answer(sock)
            assert status == 200 and json.loads(body)["id"] == "A17"
            assert "connection" not in headers and headers["date"].endswith("GMT")
        assert server.listener.connections == 1
    assert session.count == 5


def test_pipelined_requests_are_answered_in_order() -> None:
    session = wire_session("none")
    orders = [request("GET", f"/v1/orders/{name}") for name in ("A17", "B92", "A17", "X1")]
    with wired(session) as server, connect(server) as sock:
        sock.sendall(b"".join(orders * 30))
        texts = listen(sock, 0.5).data
    assert texts.count(b"HTTP/1.1 200") == 90 and texts.count(b"HTTP/1.1 404") == 30
    assert [event.args["order_id"] for event in session.events[::2]] == ["A17", "B92", "A17", "X1"] * 30


def test_a_peer_that_leaves_is_noticed_though_more_requests_wait_than_are_read() -> None:
    session = wire_session("none", fault("before", "timeout"))
    with wired(session, Limits(pipelined=4)) as server:
        with connect(server) as sock:
            sock.sendall(REFUND + READ * 9)
            time.sleep(0.1)
            assert server.listener.connections == 1 and session.count == 1
        until = time.monotonic() + 10
        while server.listener.connections and time.monotonic() < until:
            time.sleep(0.05)
        assert server.listener.connections == 0


def test_a_chunked_body_in_small_pieces() -> None:
    body = b'{"order_id":"A17","amount":"40.00"}'
    head = b"POST /tools/refund_order HTTP/1.1\r\nHost: lab\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunks = (
        b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in (body[:5], body[5:20], body[20:])) + b"0\r\n\r\n"
    )
    session = wire_session("none")
    with wired(session) as server, connect(server) as sock:
        for byte in head + chunks:
            sock.sendall(bytes([byte]))
        assert answer(sock)[0] == 200
    assert len(session.engine.ledger) == 1


def test_expect_continue() -> None:
    body = b'{"order_id":"A17","amount":"40.00"}'
    head = request("POST", "/tools/refund_order", body, Expect="100-continue").removesuffix(body)
    with wired(wire_session("none")) as server, connect(server) as sock:
        sock.sendall(head)
        assert sock.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        sock.sendall(body)
        assert answer(sock)[0] == 200


def test_http_1_0_and_connection_close_end_the_connection() -> None:
    with wired(wire_session("none")) as server:
        for text in (b"GET /v1/orders/A17 HTTP/1.0\r\n\r\n", request("GET", "/v1/orders/A17", Connection="close")):
            got = exchange(server, text)
            assert got.end == "FIN" and b"\r\nconnection: close\r\n" in got.data and got.data.endswith(b"}")


def test_a_head_request_is_answered_as_a_get_without_its_body() -> None:
    with wired(wire_session("none")) as server:
        for path, status in (("/v1/orders/A17", b"200"), ("/v1/orders/X1", b"404"), ("/v1/refunds", b"405")):
            full, bare = [exchange(server, request(verb, path), wait_s=0.3).data for verb in ("GET", "HEAD")]
            assert bare.startswith(b"HTTP/1.1 %s " % status) and bare.endswith(b"\r\n\r\n")
            if status != b"405":  # which names the method
                assert _without_date(bare) == _without_date(full.partition(b"\r\n\r\n")[0] + b"\r\n\r\n")


def _without_date(head: bytes) -> list[bytes]:
    return [line for line in head.split(b"\r\n") if not line.startswith(b"date: ")]


def test_a_peer_that_only_stops_writing_gets_its_answer() -> None:
    with wired(wire_session("none")) as server:
        assert exchange(server, READ, half_close=True).data.startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    "text", [b"\x16\x03\x01\x02\x00", b"HELLO\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET  HTTP/1.1\r\n\r\n"]
)
def test_what_is_not_http_is_answered_400_and_closed(text: bytes) -> None:
    session = wire_session("none")
    with wired(session) as server:
        got = exchange(server, text)
        assert got.data.startswith(b"HTTP/1.1 400 ") and got.end in ("FIN", "RST")
        assert exchange(server, READ, wait_s=0.3).data.startswith(b"HTTP/1.1 200 ")
    assert session.count == 1


def test_an_unknown_upgrade_is_ignored() -> None:
    with wired(wire_session("none")) as server:
        got = exchange(server, request("GET", "/v1/orders/A17", Upgrade="h2c", Connection="Upgrade"), wait_s=0.3)
    assert got.data.startswith(b"HTTP/1.1 200 ")


def test_limits() -> None:
    limits = Limits(body_bytes=100, header_bytes=500, request_s=0.5, connections=2)
    session = wire_session("none")
    with wired(session, limits) as server:
        big = request("POST", "/tools/refund_order", b"x" * 101)
        assert exchange(server, big).data.startswith(b"HTTP/1.1 413 ")
        long_head = request("GET", "/v1/orders/A17", X_Long="y" * 600)
        assert exchange(server, long_head).data.startswith(b"HTTP/1.1 431 ")
        slow = exchange(server, READ[:-2], wait_s=4)
        assert slow.data.startswith(b"HTTP/1.1 408 ") and slow.end == "FIN"
        with connect(server) as one, connect(server) as two:
            for sock in (one, two):
                sock.sendall(READ)
                assert answer(sock)[0] == 200
            assert exchange(server, READ).data.startswith(b"HTTP/1.1 503 ")
    assert session.count == 2


def test_an_idle_connection_is_closed() -> None:
    with wired(wire_session("none"), Limits(idle_s=0.2)) as server, connect(server) as sock:
        assert listen(sock, 4).end == "FIN"


def test_small_answers_are_not_held_back() -> None:
    """Nagle's algorithm with delayed acknowledgements would cost 40 ms a request."""
    with wired(wire_session("none")) as server, connect(server) as sock:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        began = time.monotonic()
        for _ in range(50):
            sock.sendall(READ)
            answer(sock)
        assert time.monotonic() - began < 50 * 0.04


def test_a_stop_lets_an_answer_out_and_cuts_a_silence() -> None:
    from labs import fault

    session = wire_session("none", fault("after", "timeout"))
    with wired(session) as server:
        sock = connect(server)
        sock.sendall(REFUND)
        assert listen(sock, 0.2).end == "open"
    assert listen(sock, 2).end in ("FIN", "RST")
    sock.close()
    assert len(session.engine.ledger) == 1
