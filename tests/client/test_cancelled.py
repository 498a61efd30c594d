"""An asynchronous call that is cancelled while its journal writes, or waits for somebody's lock."""

import asyncio
import sqlite3
import time
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from faultlab.client.client import ToolClient
from faultlab.client.tool_spec import ToolSpec

sent: list[str] = []


async def pay(order_id: str) -> int:
    sent.append(order_id)
    return 1


async def stuck(order_id: str) -> int:
    await asyncio.sleep(60)
    return 1


def client(place: Path, function: Any = pay) -> ToolClient:
    sent.clear()
    made = ToolClient(place / "journal.db", run="r")
    made.add(ToolSpec.of(function, name="pay", contract="none", identity=["order_id"]))
    return made


def slowed(tools: ToolClient, method: str) -> None:
    real = getattr(tools._journal, method)

    def slow(*args: Any) -> Any:
        time.sleep(0.2)
        return real(*args)

    setattr(tools._journal, method, slow)


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("method", ["claim", "sending", "settle"])
def test_a_write_that_was_begun_ends_and_the_lease_is_given_back(method: str, times: int, tmp_path: Path) -> None:
    async def cancelled(tools: ToolClient) -> None:
        task = asyncio.create_task(tools.acall("pay", order_id="A"))
        for _ in range(times):
            await asyncio.sleep(0.08)
            task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert task.cancelled()

    with client(tmp_path) as tools:
        slowed(tools, method)
        asyncio.run(cancelled(tools))
    before = list(sent)
    with closing(sqlite3.connect(tmp_path / "journal.db")) as journal:
        assert journal.execute("SELECT lease_until_ns FROM journal_operations").fetchall() == [(0,)]
    with client(tmp_path) as tools:
        result = asyncio.run(tools.acall("pay", order_id="A"))
        assert result.status == "done"
        assert len(before + sent) == 1


def test_cancelled_before_its_journal_is_free_it_leaves_the_loop_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faultlab.records.journal_engine.BUSY_S", 0.5)
    beats: list[float] = []

    async def beat() -> None:
        while True:
            beats.append(time.monotonic())
            await asyncio.sleep(0.02)

    async def main(tools: ToolClient) -> None:
        beating = asyncio.create_task(beat())
        task = asyncio.create_task(tools.acall("pay", order_id="A"))
        await asyncio.sleep(0.2)
        lock = sqlite3.connect(tmp_path / "journal.db", isolation_level=None)
        lock.execute("BEGIN IMMEDIATE")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):  # and no StoreError
            await task
        lock.close()
        beating.cancel()

    with client(tmp_path, stuck) as tools:
        asyncio.run(main(tools))
    assert max(later - sooner for sooner, later in pairwise(beats)) < 0.3
