"""The two HTTP libraries before the lab: timeouts, hangs, cancellation, broken bodies, other hosts."""

import asyncio
import importlib
import inspect
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from labs import REFUND, Step, drain, fault, lab, play

from faultlab.core.clock import LoopClock, ns
from faultlab.core.errors import AttemptOver, Hung
from faultlab.core.outcome import outcome_of_exception
from faultlab.core.records import Call, Outcome, Receipt
from faultlab.core.tools import Toolset, tool
from faultlab.core.world import World
from faultlab.engine.session import Session
from faultlab.matrix.loop import run_virtual

LIBRARIES = ("httpx", "httpx2")
BODY = dict(REFUND.args)


def load(library: str) -> Any:
    return importlib.import_module(f"faultlab.transports.{library}_transport")


def send(library: str, session: Session, **more: Any) -> Any:
    with load(library).client(session) as client:
        return client.post("/v1/refunds", json=BODY, **more)


def receipts(session: Session) -> list[Receipt]:
    return [event for event in session.events if type(event) is Receipt]


@pytest.fixture(params=LIBRARIES)
def library(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def module(library: str) -> Any:
    return importlib.import_module(library)


def test_a_response_is_complete(library: str) -> None:
    session = lab()
    response = send(library, session)
    assert response.json()["order_id"] == "A17"
    assert response.text.encode() == response.content == response.read() == b"".join(response.iter_bytes())
    assert int(response.headers["content-length"]) == len(response.content)
    assert (response.http_version, response.reason_phrase) == ("HTTP/1.1", "OK")
    assert response.raise_for_status() is response
    assert session.clock.now() == ns(0.05)


def test_a_response_that_is_changed_changes_no_other(library: str) -> None:
    first = send(library, lab())
    first.headers["content-type"] = "text/plain"
    first.headers["x-mine"] = "1"
    second = send(library, lab())
    assert second.headers["content-type"] == "application/json"
    assert "x-mine" not in second.headers


def test_a_streamed_response_is_the_same(library: str) -> None:
    session = lab()
    with load(library).client(session) as client, client.stream("GET", "/v1/orders/A17") as response:
        streamed = b"".join(response.iter_raw())
    with load(library).client(lab()) as client:
        assert client.get("/v1/orders/A17").content == streamed


def test_a_timeout_shorter_than_the_latency_loses_the_receipt_of_an_effect(library: str, module: Any) -> None:
    session = lab()
    with pytest.raises(module.ReadTimeout) as caught:
        send(library, session, timeout=0.02)
    assert caught.value.request.url.path == "/v1/refunds"
    assert outcome_of_exception(caught.value) is Outcome.UNKNOWN
    assert session.clock.now() == ns(0.02)
    assert len(session.engine.ledger) == 1
    assert receipts(session)[0][1:4] == (ns(0.02), Outcome.UNKNOWN, None)


def test_an_answer_exactly_at_the_deadline_is_received(library: str) -> None:
    assert send(library, lab(), timeout=0.05).status_code == 200


def test_each_timeout_holds_for_its_own_phase(library: str, module: Any) -> None:
    for phase, at_s, error in (("after", 7.0, module.ReadTimeout), ("connect", 3.0, module.ConnectTimeout)):
        session = lab("none", fault(phase))
        with pytest.raises(error):
            send(library, session, timeout=module.Timeout(1.0, read=7.0, connect=3.0))
        assert session.clock.now() == ns(at_s)
    session = lab("none", fault("connect", "reset"))
    with pytest.raises(module.ConnectTimeout):  # refused after 0.05 s, but the caller was gone
        send(library, session, timeout=module.Timeout(5.0, connect=0.01))


def test_a_request_without_timeouts_has_the_patience_of_the_session(library: str, module: Any) -> None:
    session = lab("none", fault("before"), patience_s=9.0)
    request = module.Request("POST", "http://lab.invalid/v1/refunds", json=BODY)
    with pytest.raises(module.ReadTimeout):
        load(library).LabTransport(session).handle_request(request)
    assert session.clock.now() == ns(9.0)


@pytest.mark.parametrize("phase", ["before", "after", "late_network", "late_server"])
def test_without_a_timeout_the_caller_hangs(library: str, phase: str) -> None:
    with pytest.raises(Hung, match=r"call 1 \(refund_order\) has no timeout"):
        send(library, lab("none", fault(phase)), timeout=None)

    async def caller() -> None:
        async with load(library).aclient(lab("none", fault(phase))) as client:
            await client.post("/v1/refunds", json=BODY, timeout=None)

    with pytest.raises(Hung):
        asyncio.run(caller())
    assert send(library, lab(), timeout=None).status_code == 200


def test_patience_beyond_the_silence_sees_the_connection_close(library: str, module: Any) -> None:
    session = lab("none", fault("after"))
    with pytest.raises(module.RemoteProtocolError):
        send(library, session, timeout=10_000.0)
    assert session.clock.now() == ns(3600)


def test_a_truncated_answer_shows_its_status_and_half_its_body(library: str, module: Any) -> None:
    whole = send(library, lab()).content
    session = lab("none", fault("after", "truncated"))
    with (
        load(library).client(session) as client,
        client.stream("POST", "/v1/refunds", json=BODY) as response,
    ):
        assert response.status_code == 200
        assert int(response.headers["content-length"]) == len(whole)
        got = []
        with pytest.raises(module.RemoteProtocolError, match=f"received {len(whole) // 2} bytes") as caught:
            got.extend(response.iter_bytes())
    assert caught.value.request is response.request
    assert receipts(session)[0].status == 200
    assert receipts(session)[0].error == "RemoteProtocolError"

    async def chunks() -> list[bytes]:
        client = load(library).aclient(lab("none", fault("after", "truncated")))
        async with client, client.stream("POST", "/v1/refunds", json=BODY) as answer:
            some = []
            with pytest.raises(module.RemoteProtocolError):
                async for chunk in answer.aiter_bytes():
                    some += [chunk]
        return some

    assert b"".join(asyncio.run(chunks())) == whole[: len(whole) // 2]


def cancelled_refund(transport: str) -> tuple[Session, Callable[[], Any]]:
    """A caller that cancels its refund after one second, and asks about it a second later."""
    session = lab("none", fault("late_network"))

    async def caller() -> Any:
        session.clock = LoopClock(asyncio.get_running_loop())
        async with load(transport).aclient(session) as client:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(1):
                    await client.post("/v1/refunds", json=BODY, timeout=60)
            await asyncio.sleep(1)
            return (await client.get("/v1/orders/A17/refunds")).json()["refunds"]

    return session, lambda: run_virtual(caller())


def test_a_cancelled_call_runs_on_and_lands_later(library: str) -> None:
    session, run = cancelled_refund(library)
    assert run() == []
    receipt = receipts(session)[0]
    assert (receipt.call, receipt.t, receipt.error, receipt.outcome) == (1, ns(1), "CancelledError", Outcome.UNKNOWN)
    # The read after the cancellation is the first negative one, and so wakes the call.
    assert [effect.t for effect in session.engine.ledger] == [ns(2)]


def test_a_call_cancelled_after_its_effect_is_unknown(library: str) -> None:
    session = lab()

    async def caller() -> None:
        session.clock = LoopClock(asyncio.get_running_loop())
        async with load(library).aclient(session) as client:
            task = asyncio.create_task(client.post("/v1/refunds", json=BODY))
            await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    run_virtual(caller())
    assert [(item.error, item.outcome) for item in receipts(session)] == [("CancelledError", Outcome.UNKNOWN)]
    assert len(session.engine.ledger) == 1


def test_calls_side_by_side_keep_their_own_receipts(library: str) -> None:
    session = lab("none", fault("after"))

    async def caller() -> list[Any]:
        session.clock = LoopClock(asyncio.get_running_loop())
        async with load(library).aclient(session) as client:
            refund = client.post("/v1/refunds", json=BODY, timeout=2)
            reads = [client.get(f"/v1/orders/{order}") for order in ("A17", "B92")]
            return await asyncio.gather(refund, *reads, return_exceptions=True)

    lost, *answers = run_virtual(caller())
    assert type(lost).__name__ == "ReadTimeout"
    assert [answer.json()["id"] for answer in answers] == ["A17", "B92"]
    assert {item.call: item.t for item in receipts(session)} == {1: ns(2), 2: ns(0.05), 3: ns(0.05)}


def test_another_host_is_refused_by_name(library: str, module: Any) -> None:
    session = lab()
    with load(library).client(session) as client:
        for _ in range(2):
            with pytest.raises(module.ConnectError, match=r"'api\.example\.com'.*http://lab\.invalid") as caught:
                client.post("https://api.example.com/v1/refunds", json=BODY)
    assert str(caught.value.request.url) == "https://api.example.com/v1/refunds"
    assert session.refused_hosts == ["api.example.com"]
    assert session.events == []
    assert session.clock.now() > 0  # or a loop that does nothing else would never end


@pytest.mark.parametrize("url", ["/nowhere", "https://api.example.com/"])
def test_a_caller_that_only_asks_for_what_is_not_there_comes_to_an_end(library: str, module: Any, url: str) -> None:
    session = lab()
    session.limits = (1000, 1000.0, ns(2))

    def forever() -> None:
        with load(library).client(session) as client:
            while True:
                try:
                    assert client.get(url).status_code == 404
                except module.ConnectError:
                    continue

    with pytest.raises(AttemptOver):
        forever()


def test_a_request_that_is_no_call_leaves_no_record(library: str) -> None:
    session = lab()
    with load(library).client(session) as client:
        assert client.post("/v1/refunds", content=b"{", headers={"content-type": "application/json"}).status_code == 400
        assert client.put("/v1/refunds", json={}).headers["allow"] == "POST"
    assert session.events == []
    assert session.engine.ledger == []


def test_a_body_given_as_an_iterator_is_read(library: str) -> None:
    with load(library).client(lab()) as client:
        content = iter([b'{"order_id": "A17",', b' "amount": "40.00"}'])
        assert client.post("/v1/refunds", content=content).status_code == 200


@tool()
def get_badly(world: World) -> dict[str, Any]:
    """Read something that JSON cannot hold."""
    return {"rows": {1, 2}}


def test_a_result_that_is_no_json_is_the_toolsets_fault(library: str) -> None:
    session = lab(toolset=Toolset.of("bad", get_badly))
    with load(library).client(session) as client:
        response = client.post("/tools/get_badly", json={})
    assert response.status_code == 500
    assert "set is not JSON serializable" in response.json()["detail"]
    assert isinstance(session.engine.server.broken, TypeError)


def test_a_client_can_be_kept_for_the_next_session(library: str, module: Any) -> None:
    first, second = lab(), lab()
    transport = load(library).LabTransport(first)
    with module.Client(transport=transport, base_url="http://lab.invalid") as client:
        client.post("/v1/refunds", json=BODY)
        transport.session = second
        client.post("/v1/refunds", json=BODY)
    assert first.events == second.events
    assert len(first.engine.ledger) == len(second.engine.ledger) == 1


def test_the_two_libraries_are_served_alike() -> None:
    def names(library: str) -> dict[str, str]:
        found = inspect.getmembers(load(library), lambda item: inspect.isclass(item) or inspect.isfunction(item))
        return {
            name: str(inspect.signature(item)).replace("httpx2", "httpx")
            for name, item in found
            if item.__module__.endswith("_transport")
        }

    assert set(names("httpx")) == {"AsyncLabTransport", "LabTransport", "aclient", "client"}
    assert names("httpx") == names("httpx2")


def test_httpx2_is_asked_for_by_the_name_of_its_extra() -> None:
    code = "import sys; sys.modules['httpx2'] = None\nimport faultlab.transports.httpx2_transport"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.stderr.strip().splitlines()[-1] == (
        "ImportError: the httpx2 transport needs the package httpx2: pip install 'faultlab[httpx2]'"
    )


def test_no_session_sees_a_call_of_another(library: str) -> None:
    script = [REFUND, Step("get_order", {"order_id": "A17"})]
    one, other = lab(), lab()
    play(library, one, script)
    drain(one)
    assert other.engine.server.world.fact("orders/A17/status") == "paid"
    assert [type(event) for event in one.events] == [Call, Receipt, Call, Receipt]
