"""Uploads through a wrapped client: the boundary, which each request draws anew, makes no other operation of them."""

import asyncio
from pathlib import Path
from types import ModuleType
from typing import Any

import httpx
import httpx2
import pytest

from faultlab.client.client import ToolClient
from faultlab.core.clock import VirtualClock
from faultlab.core.errors import BadInput

URL = "https://api.example/files"
LIBRARIES = pytest.mark.parametrize("library", [httpx, httpx2], ids=["httpx", "httpx2"])


class Server:
    """It loses the first receipt, and knows a key again by the bytes that came with it."""

    def __init__(self, library: ModuleType) -> None:
        self.library = library
        self.known: dict[str, tuple[str, bytes]] = {}
        self.requests = 0

    def __call__(self, request: Any) -> Any:
        self.requests += 1
        sent = request.headers["content-type"], request.content
        assert request.headers["content-length"] == str(len(request.content))
        if self.known.setdefault(request.headers["idempotency-key"], sent) != sent:
            return self.library.Response(422, json={"title": "another body under this key"})
        if self.requests == 1:
            raise self.library.ReadTimeout("lost", request=request)
        return self.library.Response(201, json={"id": "file_1"})


def upload(http: Any, content: bytes = b"\x00 one", boundary: str = "") -> Any:
    headers = {"content-type": f"multipart/form-data; boundary={boundary}"} if boundary else {}
    return http.post(URL, files={"file": ("a.bin", content)}, data={"note": "x"}, headers=headers)


def live(journal: Path, clock: VirtualClock, **hook: Any) -> ToolClient:
    """A process of its own, over the same journal."""
    return ToolClient(str(journal), run="r", clock=clock, fsync=False, **hook)


@LIBRARIES
@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("boundary", ["", "short", '"quoted: and longer than the first"'])
def test_an_upload_of_a_restarted_process_is_the_same_operation(
    library: Any, way: str, boundary: str, tmp_path: Path
) -> None:
    import faultlab

    server = Server(library)

    def die(step: str) -> None:
        if step == "after call":
            raise faultlab.Crash

    transport = library.MockTransport(server)
    clock = VirtualClock()
    with live(tmp_path / "j.db", clock, hook=die) as first, pytest.raises(faultlab.Crash):
        upload(first.wrap(library.Client(transport=transport), contract="strict"))
    clock.sleep(61)
    with live(tmp_path / "j.db", clock) as second:
        if way == "sync":
            answer = upload(second.wrap(library.Client(transport=transport), contract="strict"), boundary=boundary)
        else:

            async def again() -> Any:
                async with second.wrap(library.AsyncClient(transport=transport), contract="strict") as http:
                    return await upload(http, boundary=boundary)

            answer = asyncio.run(again())
    assert answer.json() == {"id": "file_1"}
    assert (len(server.known), server.requests) == (1, 2)


@LIBRARIES
def test_an_upload_that_was_done_is_not_sent_again_and_another_one_is(library: Any, tmp_path: Path) -> None:
    server = Server(library)
    server.requests = 1
    with live(tmp_path / "j.db", VirtualClock()) as client:
        http = client.wrap(library.Client(transport=library.MockTransport(server)), contract="strict")
        for content in (b"one", b"one", b"two"):
            assert upload(http, content).status_code == 201
    assert (len(server.known), server.requests) == (2, 3)


def test_other_parameters_of_a_guarded_function_are_refused_as_before(tmp_path: Path) -> None:
    with ToolClient(str(tmp_path / "j.db"), run="r", clock=VirtualClock()) as client:

        @client.guard(contract="none", identity=["order_id"])
        def pay(order_id: str, amount: str) -> str:
            return amount

        assert pay("A17", "1") == "1"
        with pytest.raises(BadInput, match="with other parameters"):
            pay("A17", "2")
