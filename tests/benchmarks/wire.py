"""Servers under the same load: keyed writes, each under a key of its own, from wrk over loopback.

    python tests/benchmarks/wire.py [--rounds N] [--seconds S] [--wiremock JAR] [--mountebank MB] [--json]

Each round loads every server once, in turn, so that drift hits all alike. A server has core 0 for itself and wrk has
core 1; what counts is the median of the rounds' ratios of answers a second. WireMock and mountebank take part where
they are given: `npm pack wiremock` holds the jar, `npm install mountebank` the program `mb`.
"""

import argparse
import contextlib
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import httpx

HERE = Path(__file__).parent / "servers"
PATH = "/tools/place_order"
CONNECTIONS = 16
ANSWER = {"id": "or_3f1d2c9a8b7e", "customer": "C5", "item": "mug", "quantity": 1, "reference": None}
TARGETS = {"uvicorn": 1.2, "wiremock": 6.0, "mountebank": 4.0}
SCENARIO = {
    "id": "load", "suite": "boundary", "task": "Order.", "toolset": "shop", "contracts": ["strict"],
    "world": {"orders": {"A17": {"status": "paid", "total": "40.00"}}},
    "budget": {"calls": 100_000_000, "cost": 100_000_000, "seconds": 100_000},
    "expect": {"effects": [{"tool": "place_order", "identity": {"customer": "C5", "item": "mug"}}]},
}  # fmt: skip
"""A session without a fault that takes as many calls as come."""


class Told(NamedTuple):
    """What one round of load came to."""

    rate: float
    p50_ms: float
    p99_ms: float
    cpu_us: float
    """Of the server, for each request."""


class Subject:
    """A running server. `fresh` prepares it for a round and gives the URL to load."""

    def __init__(self, name: str, process: "subprocess.Popen[Any]", admin: str, base: str) -> None:
        self.name = name
        self.process = process
        self.admin = admin
        self.base = base
        self._session: str | None = None

    def fresh(self) -> str:
        """faultlab gets a new session, and the old one goes; WireMock an empty journal."""
        if self.name == "wiremock":
            httpx.delete(f"{self.admin}/__admin/requests").raise_for_status()
        if not self.name.startswith("faultlab"):
            return self.base
        if self._session is not None:
            httpx.delete(f"{self.admin}/sessions/{self._session}", timeout=60).raise_for_status()
        order = {"scenario": SCENARIO, "twin": "clean"}
        opened = httpx.post(f"{self.admin}/sessions", json=order, timeout=60).raise_for_status().json()
        self._session = opened["id"]
        return str(opened["url"])

    def cpu_s(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def until_up(url: str) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with contextlib.suppress(httpx.TransportError):
            httpx.get(url, timeout=5)
            return
        time.sleep(0.1)
    raise SystemExit(f"nothing answers at {url}")


def started(command: list[str], core: str = "0", **options: Any) -> "subprocess.Popen[Any]":
    return subprocess.Popen(["taskset", "-c", core, *command], stderr=subprocess.DEVNULL, **options)


def faultlab(name: str, *extra: str) -> Subject:
    command = ["faultlab", "serve", "lost-receipt", "--port", "0", "--admin-port", "0", "--json", *extra]
    process = started([sys.executable, "-m", *command], stdout=subprocess.PIPE, text=True)
    text, depth = "", 0
    while True:  # one JSON object, then it goes on running
        line = process.stdout.readline()
        if not line:
            raise SystemExit(f"{name} ended before it listened: {' '.join(command)}")
        text += line
        depth += line.count("{") - line.count("}")
        if text and not depth:
            break
    told = json.loads(text)
    return Subject(name, process, told["admin_url"], told["data_url"])


def uvicorn() -> Subject:
    port = free_port()
    command = ["-m", "uvicorn", "bare_asgi:app", "--port", str(port), "--app-dir", str(HERE), "--loop", "uvloop"]
    command += ["--http", "httptools", "--no-access-log", "--log-level", "warning", "--lifespan", "off"]
    process = started([sys.executable, *command])
    base = f"http://127.0.0.1:{port}"
    until_up(base)
    return Subject("uvicorn", process, base, base)


def wiremock(jar: str) -> Subject:
    """With its journal, as it is by default."""
    port = free_port()
    process = started(
        ["java", "-jar", jar, "--port", str(port), "--bind-address", "127.0.0.1"], stdout=subprocess.DEVNULL
    )
    base = f"http://127.0.0.1:{port}"
    until_up(f"{base}/__admin/health")
    answer = {"status": 201, "jsonBody": ANSWER, "headers": {"Content-Type": "application/json"}}
    stub = {"request": {"method": "POST", "urlPath": PATH}, "response": answer}
    httpx.post(f"{base}/__admin/mappings", json=stub).raise_for_status()
    return Subject("wiremock", process, base, base)


def mountebank(program: str) -> Subject:
    """An imposter that answers every POST; it records nothing, as it is by default."""
    admin, port = free_port(), free_port()
    command = [program, "start", "--port", str(admin), "--nologfile", "--loglevel", "error", "--localOnly"]
    process = started([*command, "--pidfile", f"/tmp/mb-{admin}.pid"], stdout=subprocess.DEVNULL)
    until_up(f"http://127.0.0.1:{admin}")
    answer = {"statusCode": 201, "headers": {"Content-Type": "application/json"}, "body": ANSWER}
    stub = {"predicates": [{"equals": {"method": "POST", "path": PATH}}], "responses": [{"is": answer}]}
    imposter = {"port": port, "protocol": "http", "stubs": [stub]}
    httpx.post(f"http://127.0.0.1:{admin}/imposters", json=imposter).raise_for_status()
    base = f"http://127.0.0.1:{port}"
    return Subject("mountebank", process, base, base)


def load(subject: Subject, seconds: float, run: str) -> Told:
    url = subject.fresh() + PATH
    command = [
        "taskset",
        "-c",
        "1",
        "wrk",
        "-t1",
        f"-c{CONNECTIONS}",
        f"-d{max(1, round(seconds))}s",
        "--timeout",
        "60s",
    ]
    before = subject.cpu_s()
    ended = subprocess.run(
        [*command, "-s", str(HERE / "keyed.lua"), url, "--", run], capture_output=True, text=True, check=True
    )
    spent = subject.cpu_s() - before
    told = json.loads(ended.stdout.strip().splitlines()[-1])
    if told["errors"]:
        raise SystemExit(f"{subject.name}: {told['errors']} of {told['requests']} requests failed\n{ended.stdout}")
    count = told["requests"]
    return Told(count / told["us"] * 1e6, told["p50_us"] / 1e3, told["p99_us"] / 1e3, spent / count * 1e6)


@contextlib.contextmanager
def subjects(options: argparse.Namespace) -> Iterator[list[Subject]]:
    """All servers that can be had here; they end with the block."""
    running: list[Subject] = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            running.append(faultlab("faultlab"))
            running.append(faultlab("faultlab-store", "--store", f"{folder}/served.db"))
            running.append(uvicorn())
            if options.wiremock:
                running.append(wiremock(options.wiremock))
            if options.mountebank:
                running.append(mountebank(options.mountebank))
            yield running
        finally:
            for subject in running:
                subject.process.terminate()
            for subject in running:
                subject.process.wait(60)


def measured(options: argparse.Namespace) -> Mapping[str, list[Told]]:
    """Every round of every server, after one of warming up that JIT compilers need."""
    rounds: dict[str, list[Told]] = {}
    with subjects(options) as running:
        for number in range(options.rounds + 1):
            for subject in running:
                seconds = options.seconds if number else max(options.seconds, options.warm)
                told = load(subject, seconds, f"r{number}")
                if number:
                    rounds.setdefault(subject.name, []).append(told)
    return rounds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--warm", type=float, default=8, help="seconds of the round that does not count")
    parser.add_argument("--wiremock", metavar="JAR")
    parser.add_argument("--mountebank", metavar="MB", help="the program mb")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    rounds = measured(options)
    results: dict[str, Any] = {}
    for name, told in rounds.items():
        ratios = [ours.rate / theirs.rate for ours, theirs in zip(rounds["faultlab"], told, strict=True)]
        middle = Told(*map(statistics.median, zip(*told, strict=True)))
        ratio, target = statistics.median(ratios), TARGETS.get(name)
        results[name] = {
            **{field: round(value, 2) for field, value in middle._asdict().items()},
            "ratio": round(ratio, 2), "low": round(min(ratios), 2), "high": round(max(ratios), 2), "target": target,
            "holds": target is None or ratio * 1.1 >= target,
        }  # fmt: skip
        if not options.json:
            print(
                f"{name:15} {middle.rate:8.0f}/s  p50 {middle.p50_ms:6.2f} ms  p99 {middle.p99_ms:7.2f} ms  CPU "
                f"{middle.cpu_us:5.0f} us   faultlab is {ratio:.2f} x ({min(ratios):.2f}..{max(ratios):.2f})"
                + (f", target {target}" if target else "")
            )
    if options.json:
        print(json.dumps(results, indent=2))
    return 0 if all(result["holds"] for result in results.values()) else 1


if __name__ == "__main__":
    raise SystemExit(main())
