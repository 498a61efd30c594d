"""One caller at a time in a lab's books: agent frameworks call tools from threads, and from several tasks of a loop."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from types import TracebackType
from typing import TypeVar

from greenlet import getcurrent

T = TypeVar("T")


class Turns:
    """Held while the lab's records change, never while anybody waits or what is behind the lab works.

    Whoever holds it is a greenlet: a thread, or a task's function under `bridged`.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._owner: object = None

    def __enter__(self) -> None:
        self._lock.acquire()
        self._owner = getcurrent()

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._owner = None
        self._lock.release()

    def apart(self, wait: Callable[[], T]) -> T:
        """The result of what takes its time, while others have their turn."""
        with self._stepped_out():
            return wait()

    @contextmanager
    def _stepped_out(self) -> Iterator[None]:
        if self._owner is not getcurrent():
            yield
            return
        self.__exit__(None, None, None)
        try:
            yield
        finally:
            self.__enter__()
