"""The limits of virtual time that docs/pytest.md states."""

import datetime as dt
import threading
import time
from time import sleep

from faultlab import Lab
from faultlab.core.clock import EPOCH_S, stopwatch


def real_seconds(lab: Lab, waiting: object) -> float:
    before = stopwatch()
    lab.run(waiting)  # type: ignore[arg-type]
    return stopwatch() - before


def in_a_thread() -> None:
    thread = threading.Thread(target=time.sleep, args=(0.05,))
    thread.start()
    thread.join()


def test_waits_that_take_time() -> None:
    for waiting in (lambda: sleep(0.05), lambda: threading.Event().wait(0.05), in_a_thread):
        assert real_seconds(Lab(), waiting) >= 0.05


def test_waits_that_take_none() -> None:
    assert real_seconds(Lab(), lambda: time.sleep(3600)) < 60


def test_dates_are_those_of_the_machine() -> None:
    lab = Lab()
    now = lab.run(lambda: dt.datetime.now(dt.UTC))
    assert abs(now.timestamp() - time.time()) < 60
    assert lab.run(lambda: time.time()) == EPOCH_S  # noqa: PLW0108  looked up in the run
