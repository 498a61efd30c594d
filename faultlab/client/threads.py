"""client: the threads in which a journal is written for asynchronous callers, apart from those that run their code."""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any

AT_ONCE = 4
"""SQLite lets one write at a time; PostgreSQL several. More would only wait for its disk, too."""


class Threads:
    """Made by the first call that needs one, ended by `close`. A forked process makes its own: no thread outlives a
    fork. Without a lock, which a fork could leave locked."""

    def __init__(self) -> None:
        self._pools: dict[int, ThreadPoolExecutor] = {}

    def begin(self, action: Callable[[], Any]) -> asyncio.Future[Any]:
        """Run it in a thread, in the context of its caller."""
        pid = os.getpid()
        pool = self._pools.get(pid) or self._pools.setdefault(pid, ThreadPoolExecutor(AT_ONCE, "faultlab-journal"))
        return asyncio.get_running_loop().run_in_executor(pool, copy_context().run, action)

    def close(self) -> None:
        """End them, once what they write is written. The next call would make new ones."""
        if (pool := self._pools.pop(os.getpid(), None)) is not None:
            pool.shutdown()
