"""Resident memory of a server over many sessions, each opened, used, claimed and so ended.

    python tests/benchmarks/wire_memory.py [--sessions N] [--calls N]

A server keeps the histories of the last 1,000 ended sessions; so it grows until it holds as many, and then no more.
What counts is its memory at the end over that after a fifth of the sessions.
"""

import argparse
import json
import resource
import socket
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import httpx

sys.path.insert(0, str(Path(__file__).parent))
import wire

TARGET = 1.1
AT_ONCE = 50
"""Requests that are sent before an answer is waited for."""
BODY = b'{"customer": "C5", "item": "mug", "quantity": 1}'
END = b'"reference":null}'
"""How the body of each answer ends."""


def resident_mib(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 2**20


def call(sock: socket.socket, path: str, count: int) -> None:
    """So many keyed writes, each under a key of its own."""
    for first in range(0, count, AT_ONCE):
        some = range(first, min(first + AT_ONCE, count))
        head = f"POST {path} HTTP/1.1\r\nHost: lab\r\nContent-Type: application/json\r\nContent-Length: {len(BODY)}\r\n"
        sock.sendall(b"".join(f"{head}Idempotency-Key: k-{number}\r\n\r\n".encode() + BODY for number in some))
        got = bytearray()
        while got.count(END) < len(some):
            data = sock.recv(1 << 18)
            assert data, got[-500:]
            got += data


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--calls", type=int, default=100, help="in each session")
    options = parser.parse_args()
    subject, told, began = wire.faultlab("faultlab"), {}, time.monotonic()
    order = {"scenario": wire.SCENARIO, "twin": "clean"}
    try:
        with httpx.Client(base_url=subject.admin, timeout=60) as admin:
            parts = urlsplit(subject.base)
            with socket.create_connection((parts.hostname, parts.port)) as sock:
                for number in range(1, options.sessions + 1):
                    opened = admin.post("/sessions", json=order).raise_for_status().json()
                    call(sock, f"/s/{opened['id']}{wire.PATH}", options.calls)
                    ended = admin.post(f"/sessions/{opened['id']}/claim", json={"status": "done"})
                    assert ended.raise_for_status().json()["verdict"] in ("pass", "fail"), ended.text
                    if number % (options.sessions // 10) == 0:
                        told[number] = round(resident_mib(subject.process.pid), 1)
            counters = admin.get("/metrics").text
    finally:
        subject.process.terminate()
        subject.process.wait(60)
    sizes = list(told.values())
    ratio = sizes[-1] / sizes[1]
    assert f"faultlab_calls_total {options.sessions * options.calls}\n" in counters, counters
    result = {
        "resident_mib": told, "ratio": round(ratio, 3), "target": TARGET, "holds": ratio <= TARGET,
        "seconds": round(time.monotonic() - began),
    }  # fmt: skip
    print(json.dumps(result, indent=2))
    return 0 if result["holds"] else 1


if __name__ == "__main__":
    raise SystemExit(main())
