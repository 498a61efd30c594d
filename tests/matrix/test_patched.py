"""Virtual time for synchronous agents."""

import asyncio
import logging
import threading
import time

import pytest
import tenacity

from faultlab.core.clock import EPOCH_S, NS, VirtualClock, patched
from faultlab.matrix.loop import Deadlock
from faultlab.matrix.patched import virtual_time

NAMES = ("sleep", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "time", "time_ns")
REAL = {name: getattr(time, name) for name in NAMES}


def assert_real() -> None:
    assert {name: getattr(time, name) for name in NAMES} == REAL


def test_the_time_module_follows_the_clock_and_is_put_back() -> None:
    clock = VirtualClock()
    with patched(clock):
        time.sleep(90.5)
        clock.sleep(0.25)
        assert time.monotonic() == time.perf_counter() == 90.75
        assert time.monotonic_ns() == time.perf_counter_ns() == 90_750_000_000
        assert time.time() == EPOCH_S + 90.75
        assert time.time_ns() == EPOCH_S * NS + 90_750_000_000
        assert time.gmtime(EPOCH_S)[:6] == (2026, 1, 1, 0, 0, 0)
    assert clock.now() == 90_750_000_000
    assert_real()


def test_it_is_put_back_after_an_error_and_nests() -> None:
    outer, inner = VirtualClock(), VirtualClock()
    with pytest.raises(KeyError), patched(outer):
        with patched(inner):
            time.sleep(1)
        time.sleep(2)
        raise KeyError
    assert (inner.now(), outer.now()) == (1 * NS, 2 * NS)
    assert_real()


@pytest.mark.parametrize(("wait_s", "error"), [(-1, ValueError), (float("nan"), ValueError), ("1", TypeError)])
def test_wrong_sleeps_fail_as_the_real_ones_do(wait_s: float, error: type[Exception]) -> None:
    with pytest.raises(error):
        time.sleep(wait_s)
    clock = VirtualClock()
    with patched(clock), pytest.raises(error):
        time.sleep(wait_s)
    assert clock.now() == 0


def test_tenacity_waits_and_its_delay_limit_follow() -> None:
    clock, tries = VirtualClock(), []

    @tenacity.retry(wait=tenacity.wait_fixed(10), stop=tenacity.stop_after_delay(35))
    def call() -> None:
        tries.append(clock.now())
        raise ConnectionError

    with patched(clock), pytest.raises(tenacity.RetryError):
        call()
    assert tries == [0, 10 * NS, 20 * NS, 30 * NS, 40 * NS]


def test_other_threads_keep_real_time() -> None:
    clock, seen = VirtualClock(), []

    def work() -> None:
        before = time.monotonic()
        time.sleep(0.02)
        seen.append(time.monotonic() - before)
        seen.append(time.time())

    with patched(clock):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert 0.02 <= seen[0] < 10
    assert abs(seen[1] - time.time()) < 60
    assert clock.now() == 0


def test_log_records_have_virtual_times() -> None:
    with patched(VirtualClock(5 * NS)):
        record = logging.makeLogRecord({})
    assert record.created == EPOCH_S + 5


def test_a_sync_agent_may_run_asyncio_inside() -> None:
    clock = VirtualClock()

    async def main() -> float:
        async with asyncio.timeout(100):
            await asyncio.sleep(30)
        return time.monotonic()

    with virtual_time(clock):
        time.sleep(5)
        assert asyncio.run(main()) == 35.0
        assert asyncio.run(main()) == 65.0
        with pytest.raises(Deadlock):
            asyncio.run(asyncio.Event().wait())
    assert clock.now() == 65 * NS
    assert_real()


def test_after_it_asyncio_is_real_again() -> None:
    with pytest.raises(KeyError), virtual_time(VirtualClock()):
        raise KeyError
    start = time.perf_counter()
    asyncio.run(asyncio.sleep(0.02))
    assert time.perf_counter() - start >= 0.02


def test_other_threads_get_real_loops() -> None:
    seen: list[float] = []

    def work() -> None:
        start = time.perf_counter()
        asyncio.run(asyncio.sleep(0.02))
        seen.append(time.perf_counter() - start)

    with virtual_time(VirtualClock()):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert seen[0] >= 0.02
