"""The network guard with real sockets, threads and clients."""

import asyncio
import socket
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, HTTPServer

import httpx
import pytest

from faultlab.matrix import guard


class _Hello(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "5")
        self.end_headers()
        self.wfile.write(b"hello")

    def log_message(self, *args: object) -> None: ...


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with HTTPServer(("127.0.0.1", 0), _Hello) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


def get(port: int, host: str = "127.0.0.1") -> str:
    with httpx.Client(trust_env=False) as client:
        return client.get(f"http://{host}:{port}/").text


def test_httpx_is_refused_with_the_host_and_the_next_step(port: int) -> None:
    with guard.attempt() as report, pytest.raises(httpx.ConnectError) as caught:
        get(port)
    assert f"127.0.0.1:{port}" in str(caught.value)
    assert "--allow-host 127.0.0.1" in str(caught.value) and "lab's tools" in str(caught.value)
    assert report.refused == [f"127.0.0.1:{port}"] and report.opened == []
    assert report.why_real is None
    assert get(port) == "hello"  # after the attempt nothing is guarded


@pytest.mark.parametrize("allowed", ["127.0.0.1", "127.0.0.1:{port}"])
def test_an_allowed_host_is_reached_and_noted(port: int, allowed: str) -> None:
    with guard.attempt([allowed.format(port=port)]) as report:
        assert get(port) == "hello"
    assert report.opened == [f"127.0.0.1:{port}"] and report.refused == []
    assert report.why_real == f"it opened a connection to 127.0.0.1:{port}"


def test_another_port_of_an_allowed_host_and_port_is_refused(port: int) -> None:
    with guard.attempt([f"127.0.0.1:{port + 1}"]), pytest.raises(httpx.ConnectError):
        get(port)


def test_an_allowed_name_covers_the_addresses_it_stands_for(port: int) -> None:
    real = socket.getaddrinfo, socket.gethostbyname
    with guard.attempt([f"LocalHost:{port}"]) as report:
        assert get(port, "localhost") == "hello"
        with socket.create_connection((socket.gethostbyname("localhost"), port)):
            pass
    assert f"127.0.0.1:{port}" in report.opened and report.refused == []
    assert (socket.getaddrinfo, socket.gethostbyname) == real


def test_a_name_is_refused_before_it_is_looked_up() -> None:
    with guard.attempt() as report:
        for look_up in (
            lambda: socket.getaddrinfo("api.example.com", 443),
            lambda: socket.gethostbyname("db.example.com"),
            lambda: socket.create_connection(("api.example.com", 443)),
        ):
            with pytest.raises(guard.RefusedConnection, match="example.com"):
                look_up()
    assert report.refused == ["api.example.com:443", "db.example.com"]


def test_asyncio_connections_are_refused_too(port: int) -> None:
    async def main() -> None:
        async with httpx.AsyncClient(trust_env=False) as client:
            await client.get(f"http://127.0.0.1:{port}/")

    with guard.attempt() as report, pytest.raises(httpx.ConnectError):
        asyncio.run(main())
    assert report.refused == [f"127.0.0.1:{port}"]


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_datagrams_are_refused(family: socket.AddressFamily) -> None:
    host = "127.0.0.1" if family == socket.AF_INET else "::1"
    try:
        sock = socket.socket(family, socket.SOCK_DGRAM)
    except OSError:
        pytest.skip(f"no {family.name} here")
    with sock, guard.attempt() as report:
        with pytest.raises(guard.RefusedConnection):
            sock.sendto(b"x", (host, 9))
        with pytest.raises(guard.RefusedConnection):
            sock.sendmsg([b"x"], [], 0, (host, 10))
        with pytest.raises(guard.RefusedConnection):
            sock.connect_ex((host, 11))
    shown = "127.0.0.1" if family == socket.AF_INET else "[::1]"
    assert report.refused == [f"{shown}:9", f"{shown}:10", f"{shown}:11"]


def test_sockets_inside_the_machine_pass(tmp_path: object) -> None:
    path = f"{tmp_path}/s"
    with socket.socket(socket.AF_UNIX) as server, guard.attempt() as report:
        server.bind(path)
        server.listen()
        left, right = socket.socketpair()
        left.sendmsg([b"x"])
        assert right.recv(1) == b"x"
        left.close()
        right.close()
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(path)
        assert asyncio.run(asyncio.sleep(0, "self-pipe")) == "self-pipe"
    assert report.refused == report.opened == []


def test_threads_are_noted_and_guarded(port: int) -> None:
    failures: list[Exception] = []

    def work() -> None:
        try:
            get(port)
        except httpx.ConnectError as error:
            failures.append(error)

    with guard.attempt() as report:
        thread = threading.Thread(target=work, name="agent-worker")
        thread.start()
        thread.join()
    assert len(failures) == 1 and report.refused == [f"127.0.0.1:{port}"]
    assert report.threads == ["agent-worker"]
    assert report.why_real == "it started the thread agent-worker"
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
    assert report.threads == ["agent-worker"]


def test_a_pool_of_an_earlier_attempt_is_guarded(port: int) -> None:
    with ThreadPoolExecutor(1) as pool:
        pool.submit(int).result()
        with guard.attempt() as report, pytest.raises(httpx.ConnectError):
            pool.submit(get, port).result()
    assert report.refused == [f"127.0.0.1:{port}"] and report.threads == []


def test_reports_are_separate_and_an_error_ends_the_guard(port: int) -> None:
    with pytest.raises(KeyError), guard.attempt():
        raise KeyError
    assert get(port) == "hello"
    with guard.attempt(["127.0.0.1"]) as outer:
        with guard.attempt() as inner, pytest.raises(httpx.ConnectError):
            get(port)
        assert get(port) == "hello"
    assert (inner.opened, outer.refused) == ([], [])


def test_the_hook_is_installed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with guard.attempt():
        pass
    added: list[object] = []
    monkeypatch.setattr(sys, "addaudithook", added.append)
    with guard.attempt():
        pass
    assert added == []


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("API.example.com", ("api.example.com", None)),
        ("api.example.com.:443", ("api.example.com", 443)),
        ("::1", ("::1", None)),
        ("[::1]:80", ("::1", 80)),
    ],
)
def test_hosts_are_read(text: str, host: guard.Host) -> None:
    assert guard.parse_host(text) == host


@pytest.mark.parametrize("text", ["https://api.example.com", "", "host:http", "host/path"])
def test_what_is_no_host_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="is no host") as caught:
        guard.attempt([text])
    assert repr(text) in str(caught.value)
