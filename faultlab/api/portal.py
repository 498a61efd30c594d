"""One event loop in a thread of its own, for async apps behind callers that cannot await them."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Portal:
    """The loop lives in real time as long as the process; a call blocks its caller until the app has answered."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()

    def run(self, main: Coroutine[Any, Any, T]) -> T:
        """The result of `main`, or what it raises."""
        return asyncio.run_coroutine_threadsafe(main, self._started()).result()

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                ready = threading.Event()
                thread = threading.Thread(target=self._live, args=(ready,), name="faultlab-app", daemon=True)
                thread.start()
                ready.wait()
            assert self._loop is not None
            return self._loop

    def _live(self, ready: threading.Event) -> None:
        self._loop = loop = asyncio.SelectorEventLoop()
        asyncio.set_event_loop(loop)
        loop.call_soon(ready.set)
        loop.run_forever()


PORTAL = Portal()
