"""A wrapped client over redirects: each request that is redirected, and the one that follows, happens once."""

from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest

from faultlab.client.client import ToolClient
from faultlab.core.clock import VirtualClock

URL = "https://api.example"


@pytest.mark.parametrize("library", [httpx, httpx2], ids=["httpx", "httpx2"])
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_kept_as_the_answer_and_nothing_is_sent_again(library: Any, status: int, tmp_path: Path) -> None:
    written: list[tuple[str, str]] = []

    def server(request: Any) -> Any:
        if request.method == "POST":
            written.append((request.url.path, request.headers["Idempotency-Key"]))
        moved = library.Response(status, headers={"Location": "/new"})
        return moved if request.url.path == "/old" else library.Response(200, json={"id": 1})

    with ToolClient(tmp_path / "j.db", clock=VirtualClock()) as client:
        bare = library.Client(transport=library.MockTransport(server), follow_redirects=True)
        http = client.wrap(bare, contract="strict")
        answers = [http.post(URL + "/old", json={}) for _ in range(2)]
        assert client.reconcile() == []
    assert [answer.json() for answer in answers] == [{"id": 1}, {"id": 1}]
    assert [path for path, _ in written] == ["/old", "/new"][: 2 if status in (307, 308) else 1]


def test_a_redirect_after_a_send_of_unknown_outcome_is_not_followed(tmp_path: Path) -> None:
    written: list[str] = []

    def server(request: httpx.Request) -> httpx.Response:
        written.append(request.url.path)
        if len(written) == 1:
            raise httpx.ReadTimeout("the receipt is lost", request=request)
        return httpx.Response(307, headers={"Location": "/new"})

    with ToolClient(tmp_path / "j.db", clock=VirtualClock()) as client:
        bare = httpx.Client(transport=httpx.MockTransport(server), follow_redirects=True)
        assert client.wrap(bare, contract="strict").post(URL + "/old", json={}).status_code == 307
    assert set(written) == {"/old"}
