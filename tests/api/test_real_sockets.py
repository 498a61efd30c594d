"""A real server on a real socket behind the lab."""

import asyncio
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import httpx2
import pytest
from storefronts import TWINS, aretrying, lost, retrying

from faultlab import Lab


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.refunds: list[Any] = []


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        self.server.refunds.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        body = b'{"id": "re_1"}'
        self.send_response(201)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing on stderr."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield made
        made.shutdown()
        thread.join()


@pytest.mark.parametrize("library", [httpx, httpx2], ids=["httpx", "httpx2"])
@pytest.mark.parametrize("twin", TWINS)
def test_behind_a_real_transport(server: Server, twin: str, library: Any) -> None:
    with library.HTTPTransport() as transport:
        lab = lost(twin).in_front_of(transport)
        lab.run(retrying, lab.client(base_url=f"http://127.0.0.1:{server.server_port}"))
        assert len(lab.ledger) == len(server.refunds) == (1 if twin == "never" else 2)


def test_behind_an_async_transport_on_the_tests_own_loop(server: Server) -> None:
    async def main() -> None:
        async with httpx.AsyncHTTPTransport() as transport:
            lab = Lab(twin="late_network", clock="real").fault("lost_receipt", on="POST /v1/refunds", symptom="reset")
            lab.in_front_of(transport)
            client = lab.async_client(base_url=f"http://127.0.0.1:{server.server_port}")
            await lab.run(aretrying, client)
            assert len(lab.ledger) == len(server.refunds) == 2

    asyncio.run(main())


def test_a_transport_is_known_though_another_package_has_put_its_name_on_the_class(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(httpx2.BaseTransport, "__module__", "openai")  # importing openai does so
    lab = Lab().in_front_of(httpx2.MockTransport(lambda request: httpx2.Response(201, json={})))
    with lab.client() as client:
        assert client.post("/v1/refunds", json={"order": "A17"}).status_code == 201
    assert len(lab.ledger) == 1
