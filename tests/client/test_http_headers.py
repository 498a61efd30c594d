"""The headers of a wrapped client's request: they stay with its operation over a crash, and no secret does."""

import asyncio
import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from client.own_server import Answer, OwnServer, Seen, serving

from faultlab.client.client import ToolClient
from faultlab.core.agent import Crash
from faultlab.core.clock import VirtualClock
from faultlab.core.records import Outcome

LIBRARIES = pytest.mark.parametrize("library", [httpx, httpx2], ids=["httpx", "httpx2"])
SECRETS = {"Authorization": "Bearer hunter2hunter2", "X-Api-Key": "hunter2", "Cookie": "session=hunter2"}
PLACE = {"Stripe-Account": "acct_1", "X-Tenant-Id": "t1"}


def lost(count: int) -> Callable[[Seen], Answer | None]:
    """The first answers are lost, the others say whose account it was."""
    left = [None] * count
    return lambda seen: (200, {}, seen.headers.get("stripe-account", "own").encode()) if not left else left.pop()


def life(place: Path, dies: str = "") -> ToolClient:
    def hook(step: str) -> None:
        if step == dies:
            raise Crash

    return ToolClient(place, run="r", clock=VirtualClock(), lease_s=0.001, hook=hook)


def die(place: Path, server: OwnServer, at: str = "after call", client: Any = None, **request: Any) -> None:
    with life(place, at) as first, client or httpx.Client() as http, pytest.raises(Crash):
        first.wrap(http, contract="strict").post(server.url + "/refunds", **{"json": {"amount": 1}, **request})


def settle(place: Path, library: Any = httpx, *, way: str = "sync", **client: Any) -> Any:
    if way == "sync":
        with life(place) as later, library.Client(**client) as http:
            later.wrap(http, contract="strict")
            (result,) = later.reconcile()
            return result

    async def main() -> Any:
        with life(place) as later:
            async with library.AsyncClient(**client) as http:
                later.wrap(http, contract="strict")
                (result,) = await later.areconcile()
                return result

    return asyncio.run(main())


@LIBRARIES
@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("at", ["before sending", "after call"])
def test_reconcile_sends_to_the_account_of_the_first_request(library: Any, way: str, at: str, tmp_path: Path) -> None:
    given = {**PLACE, "If-Match": '"v1"', "X-Latin": "grün".encode("latin-1")}
    with serving(lost(at == "after call")) as server:
        die(tmp_path / "j.db", server, at, library.Client(), headers=given)
        result = settle(tmp_path / "j.db", library, way=way, headers={"Stripe-Account": "acct_of_another_life"})
        assert (result.status, result.value["text"]) == ("done", "text:acct_1")
        first, last = server.seen[0], server.seen[-1]
        assert last.headers["x-latin"] == "grün" and last.headers["if-match"] == '"v1"'
        changing = {"user-agent"}
        assert {**first.headers, **dict.fromkeys(changing)} == {**last.headers, **dict.fromkeys(changing)}


@pytest.mark.parametrize("auth", [{}, {"auth": ("user", "hunter2")}], ids=["as headers", "as auth="])
def test_no_secret_is_stored_and_the_client_at_hand_gives_them(auth: dict[str, Any], tmp_path: Path) -> None:
    place = tmp_path / "j.db"
    with serving(lost(1)) as server:
        die(place, server, headers={**PLACE, **SECRETS}, **auth)
        stored = b"".join(file.read_bytes() for file in tmp_path.iterdir())
        assert b"acct_1" in stored and b"hunter2" not in stored
        assert base64.b64encode(b"user:hunter2") not in stored
        assert settle(place, headers=SECRETS, **auth).status == "done"
        assert server.seen[0].headers["authorization"] == server.seen[1].headers["authorization"]
        assert server.seen[1].headers["x-api-key"] == "hunter2"


@pytest.mark.parametrize("way", ["sync", "async"])
@pytest.mark.parametrize("name", list(SECRETS))
def test_without_its_secret_nothing_is_sent_and_the_result_says_why(name: str, way: str, tmp_path: Path) -> None:
    place = tmp_path / "j.db"
    with serving(lost(1)) as server:
        die(place, server, headers=SECRETS)
        fewer = {other: value for other, value in SECRETS.items() if other != name}
        result = settle(place, way=way, headers=fewer)
        assert len(server.seen) == 1
        assert (result.status, result.outcome, result.resumable) == ("handed_over", Outcome.UNKNOWN, True)
        told = "the cookie session" if name == "Cookie" else name.lower()
        assert result.why.startswith(f"HeaderMissing: {told} came with the first request, and secrets are not kept")
        assert settle(place, way=way, headers=SECRETS).status == "done"
        assert len(set(server.keys)) == 1


def test_what_never_left_stays_open_until_somebody_has_its_secret(tmp_path: Path) -> None:
    place = tmp_path / "j.db"
    with serving(lost(0)) as server:
        die(place, server, "before sending", headers=SECRETS)
        result = settle(place)
        assert (result.status, result.outcome, result.resumable) == ("not_done", Outcome.NOT_APPLIED, True)
        assert "HeaderMissing" in result.why and server.seen == []
        assert settle(place, headers=SECRETS).status == "done"
        assert len(server.seen) == 1


def test_a_secret_in_the_place_of_the_clients_own_is_no_clients_to_give(tmp_path: Path) -> None:
    place, own = tmp_path / "j.db", {"Authorization": "Bearer of-the-platform"}
    with serving(lost(1)) as server:
        die(place, server, client=httpx.Client(headers=own), headers={"Authorization": "Bearer of-the-merchant"})
        result = settle(place, headers=own)
        assert (result.status, len(server.seen)) == ("handed_over", 1)
        assert "authorization (another one than its client's)" in result.why


def test_a_cookie_of_the_jar_is_the_servers_and_not_needed(tmp_path: Path) -> None:
    place = tmp_path / "j.db"
    with serving(lost(1)) as server:
        die(place, server, client=httpx.Client(cookies={"balancer": "node-7"}))
        assert server.seen[0].headers["cookie"] == "balancer=node-7"
        assert settle(place).status == "done"


def test_equal_requests_for_two_accounts_are_two_operations(tmp_path: Path) -> None:
    with serving(lost(0)) as server, life(tmp_path / "j.db") as client, httpx.Client() as bare:
        http = client.wrap(bare, contract="strict")
        answers = [
            http.post(server.url, json={}, headers={**account, "X-Request-Id": str(number)}).text
            for number, account in enumerate([{"Stripe-Account": "a"}, {"Stripe-Account": "b"}, {}] * 2)
        ]
        assert answers == ["a", "b", "own"] * 2
        assert len(server.seen) == len(set(server.keys)) == 3


def test_a_retry_in_a_later_life_has_the_first_headers_and_its_own_secrets(tmp_path: Path) -> None:
    place = tmp_path / "j.db"
    with serving(lost(1)) as server:
        die(place, server, headers={"X-Shard": "1", "Authorization": "Bearer old"})
        with life(place) as later, httpx.Client() as bare:
            http = later.wrap(bare, contract="strict")
            given = {"X-Shard": "2", "X-New": "1", "Authorization": "Bearer new"}
            assert http.post(server.url + "/refunds", json={"amount": 1}, headers=given).status_code == 200
        again = server.seen[1].headers
        assert (again["x-shard"], again["authorization"], "x-new" in again) == ("1", "Bearer new", False)


def test_a_query_is_told_which_account_to_ask(tmp_path: Path) -> None:
    place, asked = tmp_path / "j.db", list[Any]()

    def find(method: str, url: str, digest: str, headers: dict[str, str]) -> str:
        asked.append(headers)
        return "re_1"

    contract = {"profile": "settle", "settle_s": 0, "writers": "one"}
    with serving(lost(1)) as server:
        with life(place, "after call") as first, httpx.Client() as http, pytest.raises(Crash):
            first.wrap(http, contract=contract, query=find).post(server.url, headers={**PLACE, **SECRETS})
        with life(place) as later, httpx.Client() as http:
            later.wrap(http, contract=contract, query=find)
            assert later.reconcile()[0].status == "done"
    (headers,) = asked
    assert headers["stripe-account"] == "acct_1" and "authorization" not in headers


def test_a_journal_that_holds_no_headers_is_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it was written before headers were kept."""
    place = tmp_path / "j.db"
    real = ToolClient._row

    def without(self: Any, spec: Any, args: Any, *more: Any) -> Any:
        return real(self, spec, {name: args[name] for name in args if name not in ("headers", "secrets")}, *more)

    with serving(lost(1)) as server:
        with monkeypatch.context() as then:
            then.setattr(ToolClient, "_row", without)
            die(place, server)
        assert settle(place).status == "done"
        assert len(set(server.keys)) == 1
