"""A wrapped client over redirects: each request that is redirected, and the one that follows, happens once."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from client.own_server import Answer, Seen, serving

from faultlab.client.client import ToolClient
from faultlab.core.agent import Crash
from faultlab.core.clock import VirtualClock
from faultlab.core.records import Outcome

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


def moved(status: int, lost: int = 0) -> Callable[[Seen], Answer | None]:
    """`/old` has moved to `/new`; the first `lost` answers are lost."""
    count = 0

    def answer(seen: Seen) -> Answer | None:
        nonlocal count
        count += 1
        if count <= lost:
            return None
        return (status, {"Location": "/new"}, b"") if seen.path == "/old" else (200, {}, b'{"id": 1}')

    return answer


def life(place: Path, **hook: Any) -> ToolClient:
    """A process of its own, over the same journal."""
    return ToolClient(place, run="r", clock=VirtualClock(), lease_s=0.001, **hook)


def dies_at(when: str) -> Callable[[str], None]:
    def hook(step: str) -> None:
        if step == when:
            raise Crash

    return hook


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("library", [httpx, httpx2], ids=["httpx", "httpx2"])
@pytest.mark.parametrize("status", [303, 307, 308])
@pytest.mark.parametrize("dies", ["before sending", "after call"])
def test_a_redirect_that_answers_an_earlier_life_is_not_followed(
    dies: str, status: int, library: Any, way: str, tmp_path: Path
) -> None:
    place = tmp_path / "j.db"
    with serving(moved(status, lost=dies == "after call")) as server:
        with life(place, hook=dies_at(dies)) as first, library.Client() as bare, pytest.raises(Crash):
            first.wrap(bare, contract="strict").post(server.url + "/old", json={})
        if way == "sync":
            with life(place) as second, library.Client(follow_redirects=True) as bare:
                second.wrap(bare, contract="strict")
                (result,) = second.reconcile()
        else:

            async def settle() -> Any:
                with life(place) as second:
                    async with library.AsyncClient(follow_redirects=True) as bare:
                        second.wrap(bare, contract="strict")
                        return await second.areconcile()

            (result,) = asyncio.run(settle())
        assert (result.status, result.outcome, result.why) == ("handed_over", Outcome.UNKNOWN, f"status {status}")
        assert set(server.paths) == {"/old"} and len(set(server.keys)) == 1
        with life(place) as third, library.Client(follow_redirects=True) as bare:
            assert third.wrap(bare, contract="strict").post(server.url + "/old", json={}).status_code == status
        assert set(server.paths) == {"/old"}


@pytest.mark.parametrize("status", [303, 307, 308])
def test_a_call_of_a_later_life_follows_no_redirect_after_a_lost_receipt(status: int, tmp_path: Path) -> None:
    place = tmp_path / "j.db"
    with serving(moved(status, lost=1)) as server:
        with life(place, hook=dies_at("after call")) as first, httpx.Client() as bare, pytest.raises(Crash):
            first.wrap(bare, contract="strict").post(server.url + "/old", json={})
        with life(place) as second, httpx.Client(follow_redirects=True) as bare:
            answer = second.wrap(bare, contract="strict").post(server.url + "/old", json={})
        assert (answer.status_code, set(server.paths)) == (status, {"/old"})


def test_a_send_that_never_left_does_not_stand_in_the_way_of_a_redirect(tmp_path: Path) -> None:
    with serving(moved(307)) as server, life(tmp_path / "j.db") as client, httpx.Client(follow_redirects=True) as bare:
        refused = [httpx.ConnectError("refused")]

        class Refusing(httpx.HTTPTransport):
            def handle_request(self, request: httpx.Request) -> httpx.Response:
                if refused:
                    raise refused.pop()
                return super().handle_request(request)

        bare._transport = Refusing()
        answer = client.wrap(bare, contract="strict").post(server.url + "/old", json={})
        assert (answer.json(), server.paths) == ({"id": 1}, ["/old", "/new"])


@pytest.mark.parametrize("status", [303, 307])
def test_the_request_that_follows_is_another_one_and_has_no_key_of_the_first(status: int, tmp_path: Path) -> None:
    """A key stands for one request: a server that knows it from `/old` may refuse it, or answer with what it kept."""
    with serving(moved(status)) as server:
        for _ in range(2):
            with life(tmp_path / "j.db") as client, httpx.Client(follow_redirects=True) as bare:
                assert client.wrap(bare, contract="strict").post(server.url + "/old", json={}).json() == {"id": 1}
        first, second, *again = server.seen
        assert (first.method, second.method) == ("POST", "POST" if status == 307 else "GET")
        assert [item.method for item in again] == ([] if status == 307 else ["GET"])
        key = second.headers.get("idempotency-key")
        assert key != first.headers["idempotency-key"] and (key is not None) == (status == 307)
