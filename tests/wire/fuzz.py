"""Mutated requests against the data port: no crash, no connection left behind, nothing kept.

`python tests/wire/fuzz.py --count 1000000 --loopback 1000000` feeds the protocol directly, then sends as many inputs
over loopback, and prints what came of it.
"""

import argparse
import heapq
import json
import random
import re
import resource
import socket
import sys
import time
from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from labs import fault, lab
from sockets import listen, request

from faultlab.core.actions import Reply
from faultlab.core.clock import RealClock
from faultlab.engine.session import Session
from faultlab.transports.keys import RawHeaders
from faultlab.transports.wire.gate import OpenGate
from faultlab.transports.wire.house import House
from faultlab.transports.wire.limits import Limits
from faultlab.transports.wire.listener import InThread, Listener, OneSession
from faultlab.transports.wire.protocol import Connection
from faultlab.transports.wire.speech import Request, Tools

FORM = (
    b"POST /v1/refunds HTTP/1.1\r\nHost: lab\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 24\r\n\r\n"
)
CHUNKED = b"POST /tools/refund_order HTTP/1.1\r\nHost: lab\r\nTransfer-Encoding: chunked\r\n\r\n"
BODY = json.dumps({"order_id": "A17", "amount": "40.00", "reference": "r-1"}).encode()
CORPUS = (
    request("GET", "/v1/orders/A17"),
    request("GET", "/v1/orders/A17/refunds?x=1&y=%41"),
    request("POST", "/tools/refund_order", BODY, Idempotency_Key="k-1"),
    request("POST", "/v1/refunds", BODY, Expect="100-continue", If_Match='"1"'),
    FORM + b"order_id=A17&amount[a]=40",
    CHUNKED + b'5\r\n{"ord\r\n1d\r\ner_id":"A17","amount":"40.0\r\n3;x=y\r\n0"}\r\n0\r\nX: y\r\n\r\n',
    request("HEAD", "/tools/place_order"),
    request("OPTIONS", "*", Connection="close"),
    request("POST", "/s/../../etc/passwd", b"[" * 500),
    b"GET /v1/orders/A17 HTTP/1.0\r\n\r\n",
    request("GET", "/v1/orders/A17", Upgrade="websocket", Connection="Upgrade"),
)
WORDS = (
    b"\r\n", b"\r\n\r\n", b"\n", b"\x00", b"\xff\xfe", b"Content-Length: 5\r\n", b"Content-Length: -1\r\n", b"%",
    b"%zz", b"Transfer-Encoding: chunked\r\n", b"Content-Length: 99999999999999999999\r\n", b" HTTP/1.1\r\n", b"{",
    b"[", b'"',
    b"\\ud800", b"Infinity", b"1e999", b"a[b][c]=", b"&" * 50, b"Idempotency-Key: x\r\n", b"x" * 600, b"0\r\n\r\n",
    b";", b"ffffffff\r\n", b"Expect: 100-continue\r\n", b"Connection: close\r\n", b"/tools/", b"/task", b"\t", b":",
)  # fmt: skip
LIMITS = Limits(body_bytes=450, header_bytes=550, pipelined=4)
PER_SESSION = 200
"""So many inputs meet one session: its record grows with every call."""
ANSWERS = re.compile(rb"HTTP/1\.1 (\d{3}) ")


def mutated(chance: random.Random) -> bytes:
    """One or several requests, changed in up to six places."""
    data = bytearray(b"".join(chance.choices(CORPUS, k=chance.choice((1, 1, 1, 2, 6)))))
    for _ in range(chance.randrange(7)):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(6):
            case 0:
                data[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                data[at:at] = chance.choice(WORDS)
            case 2:
                del data[at : at + chance.randrange(1, 20)]
            case 3:
                data[at : at + 4] = chance.choice(WORDS)
            case 4:
                data[at:at] = data[at : at + chance.randrange(40)]
            case _:
                del data[at:]
    return bytes(data)


def pieces(data: bytes, chance: random.Random) -> list[bytes]:
    """As they may come off the network."""
    if chance.random() < 0.5:
        return [data]
    cuts = sorted(chance.randrange(len(data) + 1) for _ in range(chance.randrange(1, 6)))
    return [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]


class Timer:
    def __init__(self, at_s: float, call: Callable[..., Any]) -> None:
        self.at_s = at_s
        self.call: Callable[..., Any] | None = call

    def __lt__(self, other: "Timer") -> bool:
        return self.at_s < other.at_s

    def cancel(self) -> None:
        self.call = None


class TinyLoop:
    """As much of an event loop as the protocol uses, with a time of its own."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.soon: deque[tuple[Callable[..., Any], tuple[Any, ...]]] = deque()
        self.timers: list[Timer] = []

    def time(self) -> float:
        return self.now_s

    def call_soon(self, call: Callable[..., Any], *args: Any) -> None:
        self.soon.append((call, args))

    def call_later(self, wait_s: float, call: Callable[..., Any]) -> Timer:
        timer = Timer(self.now_s + wait_s, call)
        heapq.heappush(self.timers, timer)
        return timer

    def turn(self, passed_s: float = 0.0) -> None:
        """Run what is due after `passed_s`."""
        self.now_s += passed_s
        while self.soon or (self.timers and self.timers[0].at_s <= self.now_s):
            if self.soon:
                call, args = self.soon.popleft()
                call(*args)
            elif (due := heapq.heappop(self.timers).call) is not None:
                due()


class Wire:
    """The transport of one connection; `sent` is what the peer gets."""

    def __init__(self, loop: TinyLoop, connection: Connection) -> None:
        self.sent = bytearray()
        self.closing = False
        self._loop = loop
        self._connection = connection

    def write(self, data: bytes) -> None:
        self.sent += data

    def get_write_buffer_size(self) -> int:
        return 0

    def is_closing(self) -> bool:
        return self.closing

    def close(self) -> None:
        if not self.closing:
            self.closing = True
            self._loop.call_soon(self._connection.connection_lost, None)

    abort = close

    def get_extra_info(self, _name: str) -> "Wire":
        return self

    def setsockopt(self, *_: Any) -> None: ...

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


class Outcome(NamedTuple):
    """What came of a run."""

    inputs: int
    statuses: Counter[int]
    calls: int
    left: int
    """Connections that were still counted after their end."""
    grown_kib: int
    """Memory at the end beyond that after a tenth of the inputs."""


def session_for(number: int) -> Session:
    """Now and then with a fault, so that answers break off in all ways."""
    symptoms = (None, "reset", "close", "truncated", "garbled", "dribble", "slow", "timeout")
    symptom = symptoms[number % len(symptoms)]
    made = lab("strict", *([] if symptom is None else [fault("after", symptom, required=False)]))
    made.clock = RealClock()
    made.latency_ns = 0
    return made


def memory_kib() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() // 1024


def feed(count: int, seed: int = 1) -> Outcome:
    """`count` inputs, each on a connection of its own. Raises whatever the protocol lets out."""
    chance = random.Random(seed)
    loop = TinyLoop()
    house = House(loop, LIMITS, OpenGate(), Tools())  # type: ignore[arg-type]  # a loop in all that is used of one
    statuses: Counter[int] = Counter()
    calls, early_kib, session = 0, 0, session_for(0)
    for number in range(count):
        if number % PER_SESSION == 0:
            calls += session.count
            session = session_for(number // PER_SESSION)
        if number == count // 10:
            early_kib = memory_kib()
        connection = Connection(OneSession(session), house)
        wire = Wire(loop, connection)
        connection.connection_made(wire)  # type: ignore[arg-type]  # a transport in all that is used of one
        for piece in pieces(mutated(chance), chance):
            if not wire.closing:
                connection.data_received(piece)
            loop.turn(chance.choice((0.0, 0.0, 0.0, 20.0)))
        statuses.update(int(status) for status in ANSWERS.findall(wire.sent))
        assert not wire.sent or wire.sent.startswith(b"HTTP/1.1 "), wire.sent[:80]
        if not wire.closing and not connection.eof_received():
            wire.close()
        loop.turn()
    loop.turn(1e6)
    return Outcome(count, statuses, calls + session.count, len(house.connections), memory_kib() - early_kib)


class Rotating:
    """A port whose session is another one every so often."""

    def __init__(self) -> None:
        self._found = 0
        self._session = session_for(0)

    def find(self, target: bytes, headers: RawHeaders) -> tuple[Session, bytes] | Reply:
        self._found += 1
        if self._found % PER_SESSION == 0:
            self._session = session_for(self._found // PER_SESSION)
        return self._session, target

    def beside(self, request: Request) -> bool:
        return False

    def aside(self, session: Session, request: Request) -> Reply:
        raise AssertionError("nothing is beside the tools of this port")


class OverLoopback(NamedTuple):
    """What came of a run over real sockets."""

    inputs: int
    seconds: float
    statuses: Counter[int]
    resets: int
    left: int
    """Connections that the server still had afterwards."""
    descriptors: int
    """Open files of the process afterwards beyond those at the start."""
    grown_kib: int


def over_loopback(count: int, seed: int = 2) -> OverLoopback:
    """The same over real sockets. Each peer shuts its writing side, and must then see the end of the connection."""
    chance = random.Random(seed)
    statuses: Counter[int] = Counter()
    resets, early_kib, began = 0, 0, time.monotonic()
    with InThread(Listener.open(Rotating(), limits=LIMITS)) as server:
        address = server.listener.address
        opened = descriptors()
        for number in range(count):
            if number == count // 10:
                early_kib = memory_kib()
            with socket.create_connection(address, 10) as sock:
                got = bytearray()
                try:
                    for piece in pieces(mutated(chance), chance):
                        sock.sendall(piece)
                    sock.shutdown(socket.SHUT_WR)
                    while data := sock.recv(65536):
                        got += data
                except TimeoutError:  # the connection does not end
                    raise
                except OSError:
                    resets += 1
            statuses.update(int(status) for status in ANSWERS.findall(got))
        with socket.create_connection(address, 5) as sock:
            sock.sendall(CORPUS[0])
            assert listen(sock, 0.5).data.startswith(b"HTTP/1.1 ")
        until = time.monotonic() + 5
        while (server.listener.connections or descriptors() > opened) and time.monotonic() < until:
            time.sleep(0.01)
        told = server.listener.connections, descriptors() - opened, memory_kib() - early_kib
    return OverLoopback(count, time.monotonic() - began, statuses, resets, *told)


def descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=1_000_000, help="inputs fed to the protocol directly")
    parser.add_argument("--loopback", type=int, default=1_000_000, help="inputs over loopback")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    if asked.count:
        told = feed(asked.count, asked.seed)
        answers = ", ".join(f"{status}: {number}" for status, number in sorted(told.statuses.items()))
        print(f"{told.inputs} inputs, {told.calls} calls, connections left {told.left}, grew {told.grown_kib} KiB")
        print(f"answers: {answers}", flush=True)
        assert not told.left
    if asked.loopback:
        print(over_loopback(asked.loopback, asked.seed))
