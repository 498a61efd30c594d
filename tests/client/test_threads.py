"""The threads that write the journal for asynchronous callers: apart from the loop's, and gone when it is closed."""

import asyncio
import gc
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from faultlab.client.client import ToolClient

FORKED = """
import asyncio, os, sys
from faultlab import ToolClient

client = ToolClient(sys.argv[1], run="r")

@client.guard(contract="none", identity=["order_id"])
async def pay(order_id: str) -> str:
    return order_id

asyncio.run(pay("parent"))
child = os.fork()
if not child:
    said = asyncio.run(pay("child"))
    os._exit(0 if said == "child" else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), asyncio.run(pay("again")))
"""
"""It ends without closing its client, too."""


def writers() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("faultlab-journal")]


def paying(client: ToolClient) -> None:
    @client.guard(contract="none", identity=["order_id"])
    async def pay(order_id: str) -> str:
        return order_id

    async def many() -> None:
        await asyncio.gather(*(pay(f"A{number}") for number in range(20)))

    asyncio.run(many())


def test_a_busy_default_executor_holds_no_call_up(tmp_path: Path) -> None:
    async def main(client: ToolClient) -> float:
        @client.guard(contract="none", identity=["order_id"])
        async def pay(order_id: str) -> str:
            return order_id

        loop, hold = asyncio.get_running_loop(), threading.Event()
        loop.set_default_executor(ThreadPoolExecutor(1))
        busy = loop.run_in_executor(None, hold.wait, 20)
        began = time.monotonic()
        try:
            async with asyncio.timeout(15):
                assert await pay("A17") == "A17"
        finally:
            hold.set()
            await busy
        return time.monotonic() - began

    with ToolClient(tmp_path / "j.db", run="r") as client:
        assert asyncio.run(main(client)) < 15


def test_its_threads_are_few_and_end_with_it(tmp_path: Path) -> None:
    with ToolClient(tmp_path / "j.db", run="r") as client:
        assert not writers()
        paying(client.of_run("another"))
        assert 1 <= len(writers()) <= 4
    assert not writers()


def test_a_client_that_nobody_closed_leaves_no_thread_behind(tmp_path: Path) -> None:
    client = ToolClient(tmp_path / "j.db", run="r")
    paying(client)
    client._journal.close()
    del client
    gc.collect()
    deadline = time.monotonic() + 10
    while writers() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not writers()


def test_a_forked_process_has_threads_of_its_own(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", FORKED, str(tmp_path / "j.db")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["0", "again"]
