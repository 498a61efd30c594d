"""What a function gives back is read as evidence about its write, and about nothing else."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from faultlab.client.client import ToolClient
from faultlab.core.clock import VirtualClock
from faultlab.core.records import Outcome


@pytest.fixture
def client(tmp_path: Path) -> Any:
    with ToolClient(str(tmp_path / "j.db"), clock=VirtualClock()) as made:
        yield made


@pytest.mark.parametrize("row", [{"id": 1, "reference": "INV-7"}, {"id": 1}])
def test_what_a_query_finds_by_the_operations_own_reference_is_its_own(row: dict[str, Any], client: ToolClient) -> None:
    sent: list[str] = []

    def find(order_id: str, reference: str) -> list[dict[str, Any]]:
        return [row] if reference in sent else []

    @client.guard(contract="settle", identity=["order_id"], query=find)
    def pay(order_id: str, reference: str) -> None:
        sent.append(reference)
        raise TimeoutError("the receipt is lost")

    result = client.call(pay, order_id="A17")
    assert (result.status, result.value, len(sent)) == ("done", row, 1)


def dead(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("refused", request=request)


@pytest.mark.parametrize(
    "target", [dead, lambda _: httpx.Response(429), lambda _: httpx.Response(404)], ids=["dead", "429", "404"]
)
def test_what_fails_after_a_redirect_proves_nothing_about_the_write(target: Any, client: ToolClient) -> None:
    written: list[bytes] = []

    def server(request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return target(request)  # type: ignore[no-any-return]
        written.append(request.content)
        return httpx.Response(303, headers={"Location": "https://api.example/receipt"})

    http = httpx.Client(transport=httpx.MockTransport(server), follow_redirects=True)

    @client.guard(contract="none", identity=["order_id"])
    def refund(order_id: str) -> Any:
        return http.post("https://api.example/refunds", json=order_id).raise_for_status().json()

    result = client.call(refund, order_id="A17")
    assert (result.status, result.outcome, len(written)) == ("handed_over", Outcome.UNKNOWN, 1)


def test_a_refusal_at_the_end_of_a_redirect_that_kept_the_method_proves_nothing(client: ToolClient) -> None:
    def server(request: httpx.Request) -> httpx.Response:
        moved = httpx.Response(308, headers={"Location": "https://api.example/new"})
        return moved if request.url.path == "/old" else httpx.Response(422)

    http = httpx.Client(transport=httpx.MockTransport(server), follow_redirects=True)

    @client.guard(contract="none", identity=["order_id"])
    def refund(order_id: str) -> Any:
        return http.post("https://api.example/old").raise_for_status().json()

    assert client.call(refund, order_id="A17").outcome is Outcome.UNKNOWN


def test_a_refused_connection_of_the_write_itself_never_left(client: ToolClient) -> None:
    http = httpx.Client(transport=httpx.MockTransport(dead))

    @client.guard(contract="none", identity=["order_id"])
    def refund(order_id: str) -> None:
        http.post("https://api.example/refunds")

    assert client.call(refund, order_id="A17").outcome is Outcome.NOT_APPLIED
