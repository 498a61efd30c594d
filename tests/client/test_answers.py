"""What a function gives back is read as evidence about its write, and about nothing else."""

from collections import deque
from pathlib import Path
from typing import Any

import httpx
import pytest

from faultlab.client.client import ToolClient
from faultlab.client.tool_spec import ToolSpec
from faultlab.core.clock import VirtualClock
from faultlab.core.errors import BadInput
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


def lost(order_id: str, reference: str = "") -> None:
    raise TimeoutError("the receipt is lost")


def kind(value: Any) -> str:
    return type(value).__name__


@pytest.mark.parametrize(
    "nothing", [None, False, "", {}, set(), iter(()), {}.values(), deque[str](), httpx.Response(500)], ids=kind
)
def test_a_query_that_finds_nothing_proves_no_effect(nothing: Any, client: ToolClient) -> None:
    spec = ToolSpec.of(lost, contract="none", identity=["order_id"], query=lambda order_id, reference: nothing)
    assert client.call(spec, order_id="A17").outcome is Outcome.UNKNOWN


@pytest.mark.parametrize("found", [["row"], {"row"}, iter(["row"]), {1: "row"}.values(), "row"], ids=kind)
def test_the_rows_of_a_query_may_come_in_any_collection(found: Any, client: ToolClient) -> None:
    spec = ToolSpec.of(lost, contract="none", identity=["order_id"], query=lambda order_id, reference: found)
    assert client.call(spec, order_id="A17").value == "row"


def test_what_has_not_run_is_no_result(client: ToolClient) -> None:
    async def later(order_id: str, reference: str = "") -> list[str]:
        return []

    def traced(order_id: str) -> Any:
        return later(order_id)

    class Later:
        async def __call__(self, order_id: str) -> None: ...

    def generator(order_id: str) -> Any:
        yield order_id

    query = ToolSpec.of(lost, contract="none", identity=["order_id"], query=traced)  # which nobody can see before
    with pytest.raises(BadInput, match=r"tool lost\.query: its function returned a coroutine.*has not run"):
        client.call(query, order_id="A17")
    write = ToolSpec.of(traced, name="write", contract="none", identity=["order_id"])
    with pytest.raises(BadInput, match=r"tool write: its function returned a coroutine"):
        client.call(write, order_id="A17")
    with pytest.raises(BadInput, match="use acall"):
        client.call(ToolSpec.of(Later(), name="object", contract="none", identity=["order_id"]), order_id="A17")
    with pytest.raises(BadInput, match="tool generator: it is a generator function"):
        ToolSpec.of(generator, contract="none", identity=["order_id"])


@pytest.mark.parametrize(("status", "outcome"), [(503, Outcome.UNKNOWN), (422, Outcome.NOT_APPLIED)])
def test_a_response_that_is_returned_counts_as_its_status(status: int, outcome: Outcome, client: ToolClient) -> None:
    spec = ToolSpec.of(lambda o: httpx.Response(status), name="pay", contract="none", identity=["o"])
    assert client.call(spec, o="A17").outcome is outcome


OUTSTANDING = {"title": "A request is outstanding for this Idempotency-Key"}
"""As in the example of the draft: without a code."""


@pytest.mark.parametrize(
    ("contract", "status", "body", "outcome"),
    [
        ("ietf", 409, OUTSTANDING, Outcome.UNKNOWN),
        ("adyen", 422, OUTSTANDING, Outcome.UNKNOWN),
        ("ietf", 422, OUTSTANDING, Outcome.NOT_APPLIED),
        ("ietf", 409, {"code": "already_refunded"}, Outcome.NOT_APPLIED),
        ("none", 409, OUTSTANDING, Outcome.NOT_APPLIED),
    ],
)
def test_a_request_in_flight_need_not_be_named_by_a_code(
    contract: str, status: int, body: Any, outcome: Outcome, client: ToolClient
) -> None:
    answer = httpx.Response(status, json=body)
    spec = ToolSpec.of(lambda o, idempotency_key="": answer, name="pay", contract=contract, identity=["o"])
    assert client.call(spec, o="A17").outcome is outcome
