"""A wrapped client of httpx or httpx2: its caller sees what a bare one would give, and each effect happens once."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from labs import drain, fault, lab

from faultlab.client.client import ToolClient
from faultlab.client.http_messages import SOURCE, as_bytes, as_text
from faultlab.core.clock import VirtualClock
from faultlab.core.errors import BadInput
from faultlab.core.records import Outcome
from faultlab.transports import httpx2_transport, httpx_transport

REFUND = {"order_id": "A17", "amount": "40.00"}
LIBRARIES: list[Any] = [(httpx, httpx_transport), (httpx2, httpx2_transport)]


def client_for(path: Path, session: Any, **options: Any) -> ToolClient:
    return ToolClient(str(path / "journal.db"), clock=session.clock, run="r", fsync=False, **options)


@pytest.mark.parametrize(("library", "transport"), LIBRARIES, ids=["httpx", "httpx2"])
@pytest.mark.parametrize("phase", ["before", "after", "late_network", "late_server"])
@pytest.mark.parametrize("way", ["sync", "async"])
def test_a_lost_receipt_is_recovered_below_the_caller(
    library: Any, transport: Any, phase: str, way: str, tmp_path: Path
) -> None:
    session = lab("strict", fault(phase))
    client = client_for(tmp_path, session)
    if way == "sync":
        with client.wrap(transport.client(session), contract="strict") as http:
            answers = [http.post("/v1/refunds", json=REFUND, timeout=2) for _ in range(2)]
    else:

        async def twice() -> list[Any]:
            async with client.wrap(transport.aclient(session), contract="strict") as http:
                return [await http.post("/v1/refunds", json=REFUND, timeout=2) for _ in range(2)]

        answers = asyncio.run(twice())
    client.close()
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()
    assert isinstance(answers[0], library.Response)
    assert answers[0].extensions[SOURCE].outcome is Outcome.APPLIED
    drain(session)
    assert len(session.engine.ledger) == 1


def test_reads_and_their_errors_pass_untouched(tmp_path: Path) -> None:
    session = lab("strict")
    client = client_for(tmp_path, session)
    http = client.wrap(httpx_transport.client(session), contract="strict")
    for _ in range(2):
        assert http.get("/v1/orders/A17").json()["total"] == "40.00"
    assert session.count == 2
    assert client.reconcile() == []
    client.close()


def test_an_outer_retry_layer_does_not_send_a_second_time(tmp_path: Path) -> None:
    session = lab("none", fault("after"))
    client = client_for(tmp_path, session)
    http = client.wrap(httpx_transport.client(session), contract="none")
    for _ in range(3):
        with pytest.raises(httpx.ReadTimeout) as lost:
            http.post("/v1/refunds", json=REFUND)
        assert any("not known whether" in note for note in lost.value.__notes__)
    client.close()
    assert len(session.engine.ledger) == 1
    assert session.count == 1


def test_a_refusal_comes_as_it_was(tmp_path: Path) -> None:
    session = lab("strict")
    client = client_for(tmp_path, session)
    http = client.wrap(httpx_transport.client(session), contract="strict")
    answers = [http.post("/v1/refunds", json={"order_id": "Z99", "amount": "1.00"}) for _ in range(2)]
    client.close()
    assert session.count == 1
    assert [answer.status_code for answer in answers] == [404, 404]
    assert answers[0].json() == answers[1].json()
    assert answers[1].extensions[SOURCE].status == "not_done"


def test_equal_requests_are_told_apart_by_the_operation_of_their_extensions(tmp_path: Path) -> None:
    session = lab("strict")
    client = client_for(tmp_path, session)
    http = client.wrap(httpx_transport.client(session), contract="strict")
    order = {"customer": "C1", "item": "mug", "quantity": 1}
    for extensions in ({"operation": "line-1"}, {"operation": "line-2"}, {"operation": "line-1"}, {"run": "other"}):
        http.post("/v1/orders", json=order, extensions=extensions)
    client.close()
    assert len(session.engine.ledger) == 3


@pytest.mark.parametrize("asynchronous", [False, True], ids=["sync", "async"])
def test_after_a_crash_the_request_is_rebuilt_and_sent_with_what_the_client_adds(
    asynchronous: bool, tmp_path: Path
) -> None:
    import faultlab

    session = lab("strict", fault("before"))

    def die(step: str) -> None:
        if step == "after call":
            raise faultlab.Crash

    client = client_for(tmp_path, session, hook=die)
    http = client.wrap(httpx_transport.client(session), contract="strict")
    with pytest.raises(faultlab.Crash):
        http.post("/v1/refunds", json=REFUND)
    client.close()
    session.clock.sleep(61)

    seen: list[httpx.Request] = []
    again = client_for(tmp_path, session)
    hooks: dict[str, Any] = {"request": [seen.append]}
    if asynchronous:

        async def note(request: httpx.Request) -> None:
            seen.append(request)

        async def settle() -> list[Any]:
            async with httpx_transport.aclient(session) as http:
                http.headers["Authorization"] = "Bearer t"
                http.event_hooks = {"request": [note]}
                again.wrap(http, contract="strict")
                return await again.areconcile()

        results = asyncio.run(settle())
    else:
        http = httpx_transport.client(session)
        http.headers["Authorization"] = "Bearer t"
        http.event_hooks = hooks
        again.wrap(http, contract="strict")
        results = again.reconcile()
    again.close()
    assert [result.status for result in results] == ["done"]
    assert [request.headers["Authorization"] for request in seen] == ["Bearer t"]
    assert seen[0].headers["Idempotency-Key"]
    assert len(session.engine.ledger) == 1


@pytest.mark.parametrize(
    ("contract", "check"),
    [
        ("strict", lambda request: len(request.headers["Idempotency-Key"]) == 36),
        (
            {"profile": "strict", "key": {"quoted": "required"}},
            lambda request: request.headers["Idempotency-Key"][0] == '"',
        ),
        ("none", lambda request: "Idempotency-Key" not in request.headers),
        ("ec2", lambda request: b'"ClientToken"' in request.content and request.headers["content-length"] != "2"),
    ],
)
def test_the_key_travels_where_the_contract_wants_it(contract: Any, check: Callable[..., bool], tmp_path: Path) -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={"ok": True})

    with ToolClient(str(tmp_path / "j.db"), clock=VirtualClock()) as client:
        http = client.wrap(httpx.Client(transport=httpx.MockTransport(answer)), contract=contract)
        http.post("https://api.example/things", json={})
    (sent,) = seen
    assert check(sent)


@pytest.mark.parametrize("body", [b'{"id": ', b"\xff\xfe", b"", b"plain", b'{"id": 1}'])
def test_a_stored_response_has_the_bytes_of_the_first(body: bytes, tmp_path: Path) -> None:
    count = 0

    def answer(request: httpx.Request) -> httpx.Response:
        nonlocal count
        count += 1
        return httpx.Response(200, content=body, headers={"X-Kept": "yes"})

    with ToolClient(str(tmp_path / "j.db"), clock=VirtualClock()) as client:
        http = client.wrap(httpx.Client(transport=httpx.MockTransport(answer)), contract="none")
        first, second = (http.post("https://api.example/things", content=b"x") for _ in range(2))
    assert second.content == first.content == body
    garbled = body.startswith(b"{") and not body.endswith(b"}")
    assert (first.extensions[SOURCE].outcome is Outcome.UNKNOWN) == garbled
    assert garbled or (count == 1 and second.headers["X-Kept"] == "yes")


@pytest.mark.parametrize("content", [b"", b"text", "grün".encode(), b"\xff\x00", b"base64:"])
def test_bytes_come_back_as_they_were(content: bytes) -> None:
    assert as_bytes(as_text(content)) == content


def test_what_cannot_be_wrapped_is_refused(tmp_path: Path) -> None:
    with ToolClient(str(tmp_path / "j.db")) as client:
        with pytest.raises(BadInput, match="of httpx or httpx2, not object"):
            client.wrap(object(), contract="none")
        with pytest.raises(BadInput, match="cannot send Repeatability-First-Sent"):
            client.wrap(httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200))), contract="oasis")
