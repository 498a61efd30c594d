"""Several threads in virtual time at once: each on its own clock, and everything put back when the last has left."""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from faultlab import Lab
from faultlab.core.clock import EPOCH_S, NS, VirtualClock, patched, stopwatch, wall_time
from faultlab.matrix.patched import virtual_time

REAL = dict(vars(time))


def overlapping(first: Callable[[threading.Barrier], None], second: Callable[[threading.Barrier], None]) -> None:
    """Run both in threads; they meet at the barrier."""
    barrier = threading.Barrier(2, timeout=10)
    with ThreadPoolExecutor(2) as pool:
        for ended in [pool.submit(first, barrier), pool.submit(second, barrier)]:
            ended.result(timeout=20)


def test_whoever_leaves_first_leaves_the_other_in_its_own_time() -> None:
    policy = asyncio.get_event_loop_policy()

    def first(barrier: threading.Barrier) -> None:
        with virtual_time(VirtualClock()):
            with virtual_time(VirtualClock(50 * NS)):
                barrier.wait()  # this one is inside
                barrier.wait()  # both are
                time.sleep(5)
                assert time.time() == EPOCH_S + 55
            assert time.monotonic() == 0
        assert abs(time.time() - wall_time()) < 60
        barrier.wait()  # it has left

    def second(barrier: threading.Barrier) -> None:
        barrier.wait()
        with virtual_time(VirtualClock(100 * NS)):
            barrier.wait()
            barrier.wait()
            asyncio.run(asyncio.sleep(7))
            assert time.monotonic() == 107

    overlapping(first, second)
    assert dict(vars(time)) == REAL
    assert asyncio.get_event_loop_policy() is policy


def test_two_runs_at_once_leave_the_process_in_real_time() -> None:
    policy = asyncio.get_event_loop_policy()

    def run(barrier: threading.Barrier, wait_s: float) -> None:
        def meet() -> float:
            barrier.wait()
            time.sleep(wait_s)
            if wait_s == 1:  # this one leaves first
                return time.monotonic()
            barrier.wait()
            return time.monotonic()

        assert Lab().run(meet) == wait_s
        if wait_s == 1:
            barrier.wait()

    overlapping(lambda barrier: run(barrier, 1), lambda barrier: run(barrier, 2))
    assert dict(vars(time)) == REAL
    assert asyncio.get_event_loop_policy() is policy
    before = stopwatch()
    time.sleep(0.02)
    assert stopwatch() - before >= 0.02


def test_a_thread_that_has_a_loop_of_its_own_keeps_it() -> None:
    """While another one is in virtual time."""
    mine = asyncio.new_event_loop()
    asyncio.set_event_loop(mine)
    entered, leave = threading.Event(), threading.Event()

    def other() -> None:
        with virtual_time(VirtualClock()):
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    thread.start()
    try:
        assert entered.wait(10)
        assert asyncio.get_event_loop_policy().get_event_loop() is mine
    finally:
        leave.set()
        thread.join()
        asyncio.set_event_loop(None)
        mine.close()


@pytest.mark.parametrize("context", [patched, virtual_time])
def test_many_threads_come_and_go(context: Callable[[VirtualClock], patched | virtual_time]) -> None:
    def work(number: int) -> int:
        clock = VirtualClock()
        for _ in range(200):
            with context(clock):
                time.sleep(number)
        return clock.now()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(1, 9))) == [number * 200 * NS for number in range(1, 9)]
    assert dict(vars(time)) == REAL
