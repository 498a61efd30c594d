"""The limit of real time, with loops that really do not end."""

import signal
import threading
import time
from collections.abc import Iterator

import pytest

from faultlab.matrix.watchdog import Hung, limit


@pytest.fixture(autouse=True)
def nothing_stays_behind() -> Iterator[None]:
    before = signal.getsignal(signal.SIGALRM)
    yield
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) == before


def busy() -> None:
    while True:
        pass


def test_a_busy_loop_is_ended_and_its_place_named() -> None:
    start = time.monotonic()
    with pytest.raises(Hung) as caught, limit(0.2):
        busy()
    assert 0.2 <= time.monotonic() - start < 5
    line = busy.__code__.co_firstlineno
    assert any(f"{__file__}:{line + n} in busy" in str(caught.value) for n in (1, 2))
    assert "within 0.2 s" in str(caught.value)


def test_an_agent_that_swallows_exceptions_is_ended() -> None:
    calls = 0
    with pytest.raises(Hung), limit(0.2):
        while True:
            try:
                calls += 1
                raise ConnectionError
            except Exception:  # noqa: BLE001, S112  that is the point
                continue
    assert calls > 1


def test_one_that_swallows_everything_once_is_ended_at_the_next_try() -> None:
    swallowed = 0
    start = time.monotonic()
    with pytest.raises(Hung), limit(0.1):
        try:
            busy()
        except BaseException:  # noqa: BLE001  that is the point
            swallowed += 1
        busy()
    assert swallowed == 1 and time.monotonic() - start < 5


@pytest.mark.parametrize("other", [None, OSError("mine")])
def test_one_that_returns_or_fails_after_its_limit_is_hung_all_the_same(other: Exception | None) -> None:
    with pytest.raises(Hung), limit(0.1):
        try:
            busy()
        except BaseException:  # noqa: BLE001  that is the point
            if other:
                raise other from None


@pytest.mark.parametrize("wait", [lambda: time.sleep(30), lambda: threading.Event().wait(30)])
def test_a_blocking_wait_is_ended(wait: object) -> None:
    start = time.monotonic()
    with pytest.raises(Hung), limit(0.1):
        wait()  # type: ignore[operator]
    assert time.monotonic() - start < 5


def test_one_that_returns_in_time_is_left_alone_later_too() -> None:
    with limit(0.05):
        pass
    time.sleep(0.2)


def test_its_own_error_passes() -> None:
    with pytest.raises(KeyError), limit(5):
        raise KeyError


def test_an_outer_timer_still_fires_at_its_time() -> None:
    fired: list[float] = []
    start = time.monotonic()
    before = signal.signal(signal.SIGALRM, lambda *_: fired.append(time.monotonic() - start))
    signal.setitimer(signal.ITIMER_REAL, 0.4)
    try:
        with pytest.raises(Hung), limit(0.15):
            busy()
        assert fired == []
        time.sleep(0.5)
        assert len(fired) == 1 and 0.35 <= fired[0] < 0.75
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_limits_nest() -> None:
    with pytest.raises(Hung, match="within 0.5 s"), limit(0.5):
        with pytest.raises(Hung, match="within 0.1 s"), limit(0.1):
            busy()
        busy()


def test_outside_the_main_thread_it_lets_the_body_run() -> None:
    seen: list[str] = []

    def work() -> None:
        with limit(0.01):
            time.sleep(0.05)
            seen.append("ran")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == ["ran"]


@pytest.mark.parametrize("wall_s", [0, -1, float("nan")])
def test_a_limit_of_nothing_is_refused(wall_s: float) -> None:
    with pytest.raises(ValueError, match="above 0 seconds"):
        limit(wall_s)
