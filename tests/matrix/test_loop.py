"""Virtual asyncio time: exact, without an end only when there is none, and clean between attempts."""

import asyncio
import gc
import socket
import time
import warnings
from collections.abc import AsyncIterator, Iterator

import anyio
import pytest
import tenacity

from faultlab.core.clock import EPOCH_S, NS, LoopClock
from faultlab.matrix import guard
from faultlab.matrix.loop import Deadlock, NeedsRealClock, run_virtual
from faultlab.matrix.watchdog import Hung, limit

DAY = 86_400


@pytest.fixture(autouse=True)
def in_real_seconds() -> Iterator[None]:
    """Hours of virtual time take next to no real time, and a loop that never ends is no endless test."""
    with limit(20):
        yield


def test_sleeps_move_the_clock_exactly() -> None:
    async def main() -> list[int]:
        clock = LoopClock(asyncio.get_running_loop())
        seen: list[int] = []
        for wait_s in (0.1, 0.2, 0.7, 3600, DAY, 400 * DAY, 0.05, 1e-9 * 512):
            await asyncio.sleep(wait_s)
            seen.append(clock.now())
        return seen

    start = time.perf_counter()
    seen = run_virtual(main())
    assert time.perf_counter() - start < 2
    waits_ns = [100_000_000, 200_000_000, 700_000_000, 3600 * NS, DAY * NS, 400 * DAY * NS, 50_000_000, 512]
    exact = [sum(waits_ns[: n + 1]) for n in range(8)]
    assert seen[:6] == exact[:6]
    assert seen[6:] == pytest.approx(exact[6:], abs=8)  # after 400 days a float of seconds holds 4 ns


def test_ten_tenths_are_one_second() -> None:
    async def main() -> float:
        for _ in range(10):
            await asyncio.sleep(0.1)
        return asyncio.get_running_loop().time()

    assert run_virtual(main()) == 1.0


def test_timers_of_one_moment_run_in_the_order_they_were_set() -> None:
    async def main() -> list[int]:
        loop = asyncio.get_running_loop()
        seen: list[int] = []
        for n in range(20):
            loop.call_at(5.0 if n % 2 else 2.3 + 2.7, seen.append, n)
        await asyncio.sleep(6)
        return seen

    assert run_virtual(main()) == list(range(20))


def test_a_cancelled_timer_is_not_jumped_to() -> None:
    async def main() -> float:
        async with asyncio.timeout(1000):
            await asyncio.sleep(1)
        await asyncio.sleep(1)
        return asyncio.get_running_loop().time()

    assert run_virtual(main()) == 2.0


def test_timeouts_of_asyncio_and_anyio_are_exact() -> None:
    async def main() -> list[float]:
        loop, seen = asyncio.get_running_loop(), []
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(30):
                await asyncio.sleep(31)
        seen.append(loop.time())
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.Event().wait(), 2.5)
        seen.append(loop.time())
        with anyio.move_on_after(7):
            await anyio.sleep_forever()
        seen.append(loop.time())
        await anyio.sleep(0.25)
        seen.append(anyio.current_time())
        return seen

    assert run_virtual(main()) == [30.0, 32.5, 39.5, 39.75]


def test_tenacity_waits_and_its_delay_limit_follow() -> None:
    async def main() -> tuple[int, float]:
        tries = 0
        with pytest.raises(tenacity.RetryError):
            async for attempt in tenacity.AsyncRetrying(
                wait=tenacity.wait_exponential(multiplier=1), stop=tenacity.stop_after_delay(30)
            ):
                with attempt:
                    tries += 1
                    raise ConnectionError
        return tries, asyncio.get_running_loop().time()

    assert run_virtual(main()) == (6, 1.0 + 2 + 4 + 8 + 16)


def test_the_time_module_follows_and_is_put_back() -> None:
    async def main() -> tuple[float, float]:
        await asyncio.sleep(60)
        return time.time(), time.monotonic()

    assert run_virtual(main()) == (EPOCH_S + 60.0, 60.0)
    assert time.time() > EPOCH_S + 60 or time.time() < EPOCH_S


def test_blocking_sleep_in_a_coroutine_says_what_to_write_and_is_right_in_an_executor() -> None:
    async def blocks() -> None:
        time.sleep(1)  # noqa: ASYNC251  that is the point

    async def uses_a_thread() -> float:
        await asyncio.to_thread(time.sleep, 1.5)
        return asyncio.get_running_loop().time()

    with pytest.raises(RuntimeError, match="await asyncio.sleep"):
        run_virtual(blocks())
    assert run_virtual(uses_a_thread()) == 1.5


def test_an_executor_hands_on_result_and_exception() -> None:
    async def main() -> int:
        with pytest.raises(ZeroDivisionError):
            await asyncio.to_thread(lambda: 1 // 0)
        return await asyncio.get_running_loop().run_in_executor(None, max, 3, 4)

    assert run_virtual(main()) == 4


async def _waits_for_ever() -> None:
    await asyncio.Event().wait()


def test_a_deadlock_names_the_place_and_the_next_step() -> None:
    async def main() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(_waits_for_ever())

    with pytest.raises(Deadlock) as caught:
        run_virtual(main())
    line = _waits_for_ever.__code__.co_firstlineno + 1
    assert f"{__file__}:{line} in _waits_for_ever" in str(caught.value)
    assert "--clock real" in str(caught.value)
    assert run_virtual(asyncio.sleep(1, "next attempt")) == "next attempt"


def test_each_attempt_starts_at_zero_and_runs_nothing_of_the_last() -> None:
    ghosts: list[str] = []

    async def first() -> float:
        loop = asyncio.get_running_loop()
        started = loop.time()
        loop.call_later(5, ghosts.append, "timer")
        loop.call_soon(lambda: loop.call_soon(ghosts.append, "callback"))
        return started

    async def second() -> float:
        started = asyncio.get_running_loop().time()
        await asyncio.sleep(10)
        return started

    assert [run_virtual(first()), run_virtual(second())] == [0.0, 0.0]
    assert ghosts == []


def test_one_loop_serves_attempts_that_leave_nothing() -> None:
    async def loop_id() -> int:
        await asyncio.sleep(1)
        return id(asyncio.get_running_loop())

    assert len({run_virtual(loop_id()) for _ in range(5)}) == 1


@pytest.mark.parametrize("stubborn", [False, True])
def test_left_over_tasks_end_without_a_warning(
    stubborn: bool, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    ended: list[str] = []

    async def background(name: str) -> None:
        while True:
            try:
                await asyncio.sleep(1)
            except asyncio.CancelledError:
                ended.append(name)
                if not stubborn:
                    raise OSError(name) from None

    async def never_started() -> None: ...

    async def main() -> str:
        tasks = [asyncio.create_task(background(f"task {n}")) for n in range(12)]
        await asyncio.sleep(3.5)
        tasks.append(asyncio.create_task(never_started()))
        return f"{len(tasks)} tasks"

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert run_virtual(main()) == "13 tasks"
        gc.collect()
    assert ended == [f"task {n}" for n in range(12)]
    assert caplog.text == "" and capfd.readouterr() == ("", "")
    assert run_virtual(asyncio.sleep(1, "next attempt")) == "next attempt"


def test_async_generators_are_closed() -> None:
    closed: list[str] = []

    async def pages() -> AsyncIterator[int]:
        try:
            while True:
                yield 1
        finally:
            await asyncio.sleep(1)
            closed.append("pages")

    async def main() -> None:
        kept.append(pages())
        await anext(kept[0])

    kept: list[AsyncIterator[int]] = []
    run_virtual(main())
    assert closed == ["pages"]
    assert run_virtual(asyncio.sleep(1, "next attempt")) == "next attempt"


def test_a_busy_coroutine_is_ended_and_the_next_attempt_is_clean() -> None:
    async def main() -> None:
        asyncio.create_task(asyncio.sleep(5))
        while True:
            await asyncio.sleep(0)

    def spin() -> None:
        asyncio.get_running_loop().call_soon(spin)

    async def callbacks() -> None:
        spin()
        await asyncio.Event().wait()

    for agent in (main, callbacks):
        with pytest.raises(Hung), limit(0.3):
            run_virtual(agent())
        assert time.sleep is _real_sleep
        assert run_virtual(asyncio.sleep(1, "next attempt")) == "next attempt"


_real_sleep = time.sleep


def test_inside_a_running_loop_it_says_so() -> None:
    async def outer() -> None:
        run_virtual(asyncio.sleep(1))

    with pytest.raises(RuntimeError, match="from synchronous code"):
        asyncio.run(outer())


@pytest.mark.parametrize("allowed", [True, False])
def test_a_connection_is_refused_or_asks_for_the_real_clock(allowed: bool) -> None:
    async def main(port: int) -> None:
        await asyncio.open_connection("127.0.0.1", port)

    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        hosts = [f"127.0.0.1:{port}"] if allowed else []
        error = NeedsRealClock if allowed else guard.RefusedConnection
        with guard.attempt(hosts) as report, pytest.raises(error):
            run_virtual(main(port))
    place = f"127.0.0.1:{port}"
    assert (report.opened, report.refused) == (([place], []) if allowed else ([], [place]))


def test_descriptors_and_processes_ask_for_the_real_clock() -> None:
    async def process() -> None:
        await asyncio.create_subprocess_exec("true")

    async def descriptor() -> None:
        asyncio.get_running_loop().add_reader(0, print)

    for agent, name in ((process, "subprocess_exec"), (descriptor, "add_reader")):
        with guard.attempt() as report, pytest.raises(NeedsRealClock, match="--clock real"):
            run_virtual(agent())
        assert report.why_real == f"it used loop.{name}"
