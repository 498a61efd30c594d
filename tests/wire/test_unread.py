"""A peer that does not read its answers: nothing more is made for it, and in the end it is let go."""

import re
import socket
import time

import pytest
from sockets import READ, REFUND, answer, connect, request, wire_session, wired

from faultlab.transports.wire.limits import Limits


def flood(sock: socket.socket, data: bytes, for_s: float) -> int:
    """Send without reading; how many bytes went."""
    sock.setblocking(False)
    sent, until = 0, time.monotonic() + for_s
    while time.monotonic() < until:
        try:
            sent += sock.send(data[sent % len(data) :])
        except BlockingIOError:
            time.sleep(0.01)
    sock.settimeout(5)
    return sent


@pytest.mark.slow
def test_nothing_is_answered_or_read_while_the_peer_does_not_read_and_then_all_in_order() -> None:
    texts = [request("GET", f"/v1/orders/Z{number}") for number in range(200_000)]
    with wired(wire_session("none")) as server, connect(server) as sock:
        sent = flood(sock, b"".join(texts), 1.5)
        (connection,) = server.listener._house.connections
        assert connection.transport.get_write_buffer_size() < 200_000 and sent < 11_000_000
        got, found, least = b"", 0, sent // len(texts[-1])
        while found < least - 10:  # some are cut in two by the edge of a chunk
            chunk = sock.recv(1 << 20)
            found += chunk.count(b"\r\n\r\n")
            got += chunk if len(got) < 1_000_000 else b""
    names = [int(name) for name in re.findall(rb"no order Z(\d+)", got)]
    assert names == list(range(len(names))) and names


def test_a_peer_that_never_reads_is_let_go() -> None:
    with wired(wire_session("none"), Limits(idle_s=1.0)) as server, connect(server) as sock:
        flood(sock, READ * 5000, 1.0)
        until = time.monotonic() + 8
        while server.listener.connections and time.monotonic() < until:
            time.sleep(0.05)
        assert server.listener.connections == 0


def test_a_chunk_full_of_requests_is_answered_piece_by_piece() -> None:
    session = wire_session("none")
    counts: list[int] = []
    with wired(session) as server, connect(server) as sock:
        sock.sendall(READ)
        answer(sock)
        house = server.listener._house
        (connection,) = house.connections

        def read() -> None:
            connection.data_received(READ * 2500)
            counts.append(session.count)

        house.loop.call_soon_threadsafe(read)
        while len(counts) != 1 or session.count < 2501:
            sock.recv(1 << 20)
    assert counts[0] < 700


@pytest.mark.parametrize("size", [1000, 900_000])
def test_a_large_body_comes_whole(size: int) -> None:
    body = b'{"order_id":"A17","amount":"40.00"}' + b" " * size
    with wired(wire_session("none")) as server, connect(server) as sock:
        sock.sendall(request("POST", "/tools/refund_order", body) + REFUND)
        got = b""
        while got.count(b"HTTP/1.1 200 ") < 2:
            got += sock.recv(65536)
