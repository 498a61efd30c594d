"""The last moment before a write leaves: a slow journal, a busy or cancelled thread, a host that slept."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from faultlab.client.client import ToolClient
from faultlab.client.tool_spec import ToolSpec
from faultlab.client.work import Times
from faultlab.core.clock import NS, RealClock, VirtualClock
from faultlab.core.records import Outcome

Sent = list[tuple[str, str]]


def paying(sent: Sent, function: Any, settle_s: float) -> ToolSpec:
    def find(order_id: str, reference: str) -> list[str]:
        return [order for order, other in sent if other == reference]

    contract = {"profile": "settle", "settle_s": settle_s}
    return ToolSpec.of(function, name="pay", contract=contract, identity=["order_id"], query=find)


async def cancelled(client: ToolClient, spec: ToolSpec) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await client.acall(spec, order_id="A17")


def test_a_cancelled_call_keeps_its_lease_until_its_thread_ends(tmp_path: Path) -> None:
    sent: Sent = []

    def pay(order_id: str, reference: str) -> str:
        time.sleep(1.5)  # it fetches a token
        sent.append((order_id, reference))
        return "ok"

    async def twice(client: ToolClient) -> Any:
        spec = paying(sent, pay, settle_s=0.3)
        await cancelled(client, spec)
        return await client.acall(spec, order_id="A17")

    with ToolClient(tmp_path / "j.db", run="r") as client:
        assert asyncio.run(twice(client)).status == "done"
    assert len(sent) == 1


def test_a_call_that_is_cancelled_before_a_thread_was_free_never_leaves(tmp_path: Path) -> None:
    sent: Sent = []

    def pay(order_id: str, reference: str) -> None:
        sent.append((order_id, reference))

    async def queued(client: ToolClient) -> Any:
        loop, hold = asyncio.get_running_loop(), threading.Event()
        loop.set_default_executor(ThreadPoolExecutor(1))
        client._hook = lambda step: step == "before call" and loop.run_in_executor(None, hold.wait)  # type: ignore[assignment]
        spec = paying(sent, pay, settle_s=0.3)
        await cancelled(client, spec)  # the journal has threads of its own: it writes down that it did not send
        client._hook = lambda _: None
        hold.set()
        return await client.acall(spec, order_id="A17")

    with ToolClient(tmp_path / "j.db", run="r") as client:
        result = asyncio.run(queued(client))
    assert (result.status, len(sent)) == ("done", 1)
    assert result.evidence[0].outcome is Outcome.NOT_APPLIED


def test_what_gets_its_thread_after_its_lease_does_not_leave(tmp_path: Path) -> None:
    entered: list[str] = []
    clock = VirtualClock()

    def busy(step: str) -> None:
        if step == "before call" and not clock.now():
            clock.sleep(61)

    spec = paying([], lambda order_id, reference: entered.append(reference), settle_s=1)
    with ToolClient(tmp_path / "j.db", run="r", clock=clock, hook=busy) as client:
        result = client.call(spec, order_id="A17")
    assert len(entered) == 1
    assert [item.said for item in result.evidence] == ["NotLeft", "200"]


def test_the_settle_time_counts_from_when_the_journal_let_it_leave(tmp_path: Path) -> None:
    clock, sent = VirtualClock(), list[int]()

    def slow(step: str) -> None:
        if step == "after sending" and not sent:
            clock.sleep(29)

    def pay(order_id: str, reference: str) -> None:
        sent.append(clock.now())
        raise TimeoutError("the receipt is lost")

    def find(order_id: str, reference: str) -> str | None:
        return "paid" if clock.now() >= sent[0] + 20 * NS else None

    contract = {"profile": "settle", "settle_s": 20}
    spec = ToolSpec.of(pay, contract=contract, identity=["order_id"], query=find)
    with ToolClient(tmp_path / "j.db", run="r", clock=clock, hook=slow) as client:
        assert client.call(spec, order_id="A17").value == "paid"
    assert len(sent) == 1


def test_a_key_whose_window_passes_in_the_journal_is_not_sent_again(tmp_path: Path) -> None:
    clock, sent = VirtualClock(), list[str]()

    def slow(step: str) -> None:
        if step == "after sending" and sent:
            clock.sleep(5)

    def pay(order_id: str, idempotency_key: str) -> None:
        sent.append(idempotency_key)
        raise TimeoutError("the receipt is lost")

    contract = {"profile": "stripe_v2", "key": {"window_s": 4}}
    spec = ToolSpec.of(pay, contract=contract, identity=["order_id"])
    with ToolClient(tmp_path / "j.db", run="r", clock=clock, hook=slow) as client:
        result = client.call(spec, order_id="A17")
    assert (result.outcome, len(sent)) == (Outcome.UNKNOWN, 1)


def test_a_host_that_slept_has_aged(monkeypatch: pytest.MonkeyPatch) -> None:
    real, slept = time.time_ns, 0
    monkeypatch.setattr(time, "time_ns", lambda: real() + slept)
    times = Times(RealClock())
    before = times.now_ns()
    slept = 30 * 3600 * NS
    assert times.now_ns() - before >= slept
    slept = 0  # set back
    assert times.now_ns() - before >= 30 * 3600 * NS
