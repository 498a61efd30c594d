"""Worker processes: how many there may be, and how they are started so that Ctrl-C is heard by their parent alone,
and that none outlives it."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import active_children, parent_process, resource_tracker
from multiprocessing.connection import wait
from threading import Thread

from faultlab.core.errors import BadInput

A_CORE = 8
"""Agents that wait for a model or a socket share a core; more workers than this cost memory and gain nothing."""
FEWEST = 64
"""So many may be asked for on any machine."""


def check_workers(jobs: int) -> None:
    """Raises BadInput for a number of processes that cannot be meant."""
    cores = os.cpu_count() or 1
    most = max(FEWEST, A_CORE * cores)
    if not 1 <= jobs <= most:
        raise BadInput(f"--jobs is {jobs}; it must be from 1 to {most}. This machine has {counted(cores)}")


def counted(cores: int) -> str:
    return f"{cores} core{'' if cores == 1 else 's'}"


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ctrl-C waits until the end. Processes that are started meanwhile never hear it, not even before they have run
    their first line: they inherit that it is blocked."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # its start would let Ctrl-C through again
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


@contextmanager
def killed_if_interrupted() -> Iterator[None]:
    """Who presses Ctrl-C again while the workers finish what they have begun does not want to wait for it."""
    try:
        yield
    except KeyboardInterrupt:
        for worker in active_children():
            worker.kill()
        raise


def never_interrupted() -> None:
    """For a worker: Ctrl-C is for its parent to handle."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def ended_with_parent() -> None:
    """For a worker: where its parent is killed it would wait forever, for it holds both ends of its queue itself."""
    parent = parent_process()
    assert parent is not None, "a worker has a parent"
    end = os._exit  # an attempt refuses it

    def watch() -> None:
        wait([parent.sentinel])
        end(1)

    Thread(target=watch, name="faultlab-parent", daemon=True).start()
