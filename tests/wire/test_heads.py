"""Heads as HTTP wants them: Host, targets, versions, Expect; trailers; and the limit on what is no body."""

import json

import pytest
from sockets import READ, REFUND, Got, answer, connect, exchange, listen, wire_session, wired

from faultlab.core.records import Call
from faultlab.transports.wire.limits import Limits

CHUNKED = b"POST /tools/refund_order HTTP/1.1\r\nHost: lab\r\nTransfer-Encoding: chunked\r\n\r\n"
CHUNKS = b'23\r\n{"order_id":"A17","amount":"40.00"}\r\n0\r\n'


@pytest.mark.parametrize(
    ("status", "head"),
    [
        (400, b"GET /v1/orders/A17 HTTP/1.1\r\n"),
        (400, b"GET /v1/orders/A17 HTTP/1.1\r\nHost: a\r\nhOsT: a\r\n"),
        (400, b"GET /v1/orders/A17 HTTP/1.0\r\nHost: a\r\nHost: b\r\n"),
        (400, b"GET /v1/orders/A17 HTTP/1.1\r\nExpect: 100-continue\r\n"),
        (200, b"GET /v1/orders/A17 HTTP/1.0\r\n"),
        (200, b"GET http://lab/v1/orders/A17 HTTP/1.1\r\nHost: lab\r\n"),
        (200, b"GET HTTP://lab:80/v1/orders/A17 HTTP/1.1\r\nHost: lab\r\n"),
        (404, b"GET http://lab?x=1 HTTP/1.1\r\nHost: lab\r\n"),
        (505, b"GET /v1/orders/A17 HTTP/2.0\r\nHost: lab\r\nConnection: keep-alive\r\n"),
        (505, b"GET /v1/orders/A17 HTTP/0.9\r\nHost: lab\r\n"),
        (505, b"PRI * HTTP/2.0\r\n\r\nSM\r\n"),
    ],
)
@pytest.mark.parametrize("before", [b"", READ])
def test_heads(status: int, head: bytes, before: bytes) -> None:
    with wired(wire_session("none")) as server:
        got = exchange(server, before + head + b"\r\n", wait_s=0.3)
    assert got.data.removeprefix(b"HTTP/1.1 200 " if before else b"").count(b"HTTP/1.1 %d " % status) == 1


@pytest.mark.parametrize("before", [b"", READ])
@pytest.mark.parametrize(
    ("status", "rest"),
    [
        (505, b" /v1/orders/A17 HTTP/2.0\r\nHost: lab\r\n\r\n"),
        (400, b" /v1/orders/A17 HTTP/1.1\r\n\r\n"),
        (413, b" /v1/orders/A17 HTTP/1.1\r\nHost: lab\r\nContent-Length: 20\r\n\r\n" + b"a" * 20),
        (431, b" /v1/orders/A17 HTTP/1.1\r\nHost: lab\r\nX: " + b"a" * 600 + b"\r\n\r\n"),
    ],
)
def test_a_refusal_is_a_problem_with_its_phrase_and_has_no_content_for_head(
    status: int, rest: bytes, before: bytes
) -> None:
    def refused(method: bytes) -> tuple[bytes, bytes]:
        with wired(wire_session("none"), Limits(body_bytes=10, header_bytes=500)) as server:
            got = exchange(server, before + method + rest, wait_s=0.3)
        head, _, body = got.data[got.data.index(b"HTTP/1.1 %d " % status) :].partition(b"\r\n\r\n")
        return head, body

    head, body = refused(b"GET")
    line = head.partition(b"\r\n")[0].decode()
    assert line == f"HTTP/1.1 {status} {json.loads(body)['title']}"
    same, none = refused(b"HEAD")
    assert same.partition(b"\r\n")[0].decode() == line and none == b""


@pytest.mark.parametrize(
    ("status", "coding", "version"),
    [(200, b"Chunked", b"1.1"), (501, b"gzip, chunked", b"1.1"), (400, b"chunked", b"1.0")],
)
@pytest.mark.parametrize("before", [b"", READ])
def test_a_body_in_another_coding_is_not_taken_for_what_it_says(
    before: bytes, status: int, coding: bytes, version: bytes
) -> None:
    session = wire_session("none")
    sent = CHUNKED.replace(b"chunked", coding).replace(b"HTTP/1.1", b"HTTP/" + version) + CHUNKS + b"\r\n"
    with wired(session) as server:
        got = exchange(server, before + sent, wait_s=0.3)
    assert got.data.count(b"HTTP/1.1 %d " % status) == (2 if before and status == 200 else 1)
    assert len(session.engine.ledger) == (status == 200)


@pytest.mark.parametrize(("size", "first"), [(10, b"HTTP/1.1 100 "), (11, b"HTTP/1.1 413 ")])
def test_a_body_that_is_too_large_is_not_asked_for(size: int, first: bytes) -> None:
    head = b"POST /tools/refund_order HTTP/1.1\r\nHost: lab\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n"
    with wired(wire_session("none"), Limits(body_bytes=10)) as server:
        assert exchange(server, head % size, wait_s=0.3).data.startswith(first)


def test_an_absolute_target_is_executed() -> None:
    session = wire_session("none")
    with wired(session) as server:
        assert exchange(server, REFUND.replace(b" /tools", b" http://lab/tools"), wait_s=0.3).data[9:12] == b"200"
    assert len(session.engine.ledger) == 1


def test_expect_in_http_1_0_gets_no_continue() -> None:
    sent = REFUND.replace(b"HTTP/1.1", b"HTTP/1.0").replace(b"Host:", b"Expect: 100-continue\r\nHost:")
    with wired(wire_session("none")) as server:
        assert exchange(server, sent).data.startswith(b"HTTP/1.1 200 ")


def test_a_key_in_a_trailer_is_none() -> None:
    session = wire_session("strict")
    with wired(session) as server, connect(server) as sock:
        sock.sendall(
            CHUNKED.replace(b"Host", b"Idempotency-Key: head\r\nHost") + CHUNKS + b"Idempotency-Key: k\r\n\r\n"
        )
        assert answer(sock)[0] == 200
        sock.sendall(CHUNKED + CHUNKS + b"Idempotency-Key: k\r\n\r\n")
        assert answer(sock)[0] in (200, 409)
    assert [event.key for event in session.events if type(event) is Call] == ["head", None]


def flooded(*begin: bytes) -> Got:
    """What a peer gets that sends a beginning and then endlessly more of it, and is let do it only to the limit."""
    session = wire_session("none")
    with wired(session, Limits(header_bytes=2000)) as server, connect(server) as sock:
        sock.sendall(b"".join(begin))
        try:
            for _ in range(100):
                sock.sendall(b"a" * 1000)
        except OSError:
            pass
        else:
            return listen(sock, 0.3)
        return Got(b"", "RST")


@pytest.mark.parametrize(
    "begin",
    [
        b"GET /",
        b"GET / HTTP/1.1\r\nHost: lab\r\nX-",
        b"GET / HTTP/1.1\r\nHost: lab\r\nX: ",
        CHUNKED + b"5;x=",
        CHUNKED + CHUNKS + b"X: ",
    ],
)
@pytest.mark.parametrize("before", [b"", READ * 3])
def test_what_never_ends_is_cut_off(begin: bytes, before: bytes) -> None:
    assert flooded(before, begin).end in ("RST", "FIN")


def test_trailers_count() -> None:
    with wired(wire_session("none"), Limits(header_bytes=500)) as server:
        got = exchange(server, CHUNKED + CHUNKS + b"X: y\r\n" * 300 + b"\r\n")
    assert got.data.startswith(b"HTTP/1.1 431 ")


def test_a_body_in_many_small_chunks_is_no_endless_head() -> None:
    body = b'{"order_id":"A17","amount":"40.00"}' + b" " * 3000
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in body)
    with wired(wire_session("none"), Limits(header_bytes=500)) as server, connect(server) as sock:
        for start in range(0, len(chunks), 300):
            sock.sendall((CHUNKED if not start else b"") + chunks[start : start + 300])
        sock.sendall(b"0\r\n\r\n")
        assert answer(sock)[0] == 200
