"""A raw client: bytes out, bytes in, and how the connection ended."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from labs import lab

from faultlab.core.clock import RealClock
from faultlab.core.contract import Contract
from faultlab.engine.session import Session
from faultlab.faults.plan import Planned
from faultlab.transports.wire.limits import Limits
from faultlab.transports.wire.listener import InThread, OneSession
from faultlab.transports.wire.own_port import OwnPort


class Got(NamedTuple):
    """What a raw client received, and its end: open, FIN or RST."""

    data: bytes
    end: str


def wire_session(contract: str | Contract = "none", *plan: Planned, speed: float = 1.0, **more: Any) -> Session:
    """A session on the real clock, `speed` times as fast as the wall."""
    session = lab(contract, *plan, **more)
    session.clock = RealClock(speed)
    session.latency_ns = 0
    return session


@contextmanager
def wired(session: Session, limits: Limits | None = None) -> Iterator[InThread]:
    """The session on a socket of its own."""
    with InThread(OwnPort.of(OneSession(session), limits=limits)) as server:
        yield server


def request(method: str, target: str, body: bytes = b"", **headers: str) -> bytes:
    """One HTTP/1.1 request, its headers' underscores written as hyphens."""
    lines = [f"{method} {target} HTTP/1.1", "Host: lab"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    if body or method == "POST":
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


REFUND = request("POST", "/tools/refund_order", b'{"order_id":"A17","amount":"40.00"}')
READ = request("GET", "/v1/orders/A17")


def connect(server: InThread) -> socket.socket:
    made = socket.create_connection(server.listener.address, 5)
    made.settimeout(5)
    return made


def exchange(server: InThread, *sent: bytes, wait_s: float = 1.0, half_close: bool = False) -> Got:
    """Send everything, then read until the server ends the connection or is silent for `wait_s`."""
    with connect(server) as sock:
        for data in sent:
            sock.sendall(data)
        if half_close:
            sock.shutdown(socket.SHUT_WR)
        return listen(sock, wait_s)


def listen(sock: socket.socket, wait_s: float) -> Got:
    """Read until the end of the connection, or until nothing has come for `wait_s`."""
    sock.settimeout(wait_s)
    data = b""
    while True:
        try:
            chunk = sock.recv(65536)
        except TimeoutError:
            return Got(data, "open")
        except ConnectionResetError:
            return Got(data, "RST")
        if not chunk:
            return Got(data, "FIN")
        data += chunk


def answer(sock: socket.socket) -> tuple[int, dict[str, str], bytes]:
    """One whole response with a Content-Length: status, headers, body."""
    data = b""
    while b"\r\n\r\n" not in data:
        chunk = sock.recv(65536)
        assert chunk, f"the connection ended after {data!r}"
        data += chunk
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    while len(body) < int(headers["content-length"]):
        body += sock.recv(65536)
    return int(lines[0].split()[1]), headers, body
