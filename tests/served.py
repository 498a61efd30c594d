"""A real `faultlab serve` process, and a client for each of its ports."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

import httpx
import plain_http
import pytest


class Served(NamedTuple):
    """A running server."""

    process: subprocess.Popen[str]
    started: dict[str, str]
    data: httpx.Client
    """On the URL of the session that was opened at once."""
    admin: httpx.Client

    def open(self, **order: object) -> dict[str, str]:
        answer = self.admin.post("/sessions", json=order)
        assert answer.status_code == 201, answer.text
        found: dict[str, str] = answer.json()
        return found

    def stop(self, number: int = signal.SIGINT) -> int:
        self.process.send_signal(number)
        return self.process.wait(20)


Serve = Callable[..., Served]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts servers; what is still running at the end of the test is killed."""
    yield from _serving()


@pytest.fixture(scope="module")
def shared() -> Iterator[Served]:
    """One server for the tests of a module that open sessions of their own: a start costs two seconds."""
    serving = _serving()
    yield next(serving)()
    serving.close()


def _serving() -> Iterator[Serve]:
    running: list[Served] = []

    def start(*arguments: str) -> Served:
        served = _started(arguments)
        running.append(served)
        return served

    try:
        yield start
    finally:
        for served in running:
            served.data.close()
            served.admin.close()
            if served.process.poll() is None:
                served.process.kill()
            served.process.communicate()


def _started(arguments: tuple[str, ...]) -> Served:
    command = [sys.executable, "-m", "faultlab", "serve", *arguments]
    if "--port" not in arguments:
        command += ["--port", "0"]
    command += ["--admin-port", "0", "--json"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    text = ""
    while not text.rstrip().endswith("}"):
        line = process.stdout.readline()
        assert line, process.stderr.read() if process.stderr else ""
        text += line
    started = json.loads(text)
    headers = {"authorization": f"Bearer {started['token']}"} if started["token"] else {}
    return Served(
        process,
        started,
        plain_http.Client(base_url=started["url"], timeout=5, trust_env=False),
        plain_http.Client(base_url=started["admin_url"], timeout=10, headers=headers, trust_env=False),
    )
