"""client: the last moment before a write leaves: its function is entered in time, or not at all."""

import inspect
from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import Any

from faultlab.client.steps import Invoke
from faultlab.core.agent import ToolError
from faultlab.core.records import Outcome, Receipt


class NotLeft(ToolError):
    """It came too late to be sent, and was not."""

    def __init__(self, tool: str, detail: str) -> None:
        never = Receipt(0, 0, Outcome.NOT_APPLIED, body={"detail": detail}, error=type(self).__name__)
        super().__init__(tool, Outcome.NOT_APPLIED, never)


class HeaderMissing(NotLeft):
    """Nobody but its first caller had what it must be sent with, and it was not sent without."""


class Departure:
    """One write on its way into its function, by whichever thread runs it, and out again.

    A thread waits for its turn, and cannot be stopped once it runs: so whether to go is asked there, and whoever gives
    up waiting for it leaves behind what is to be done when nothing can be sent any more.
    """

    def __init__(
        self, tool: str, too_late: Callable[[], str | None], now_ns: Callable[[], int], *, sent_before: bool
    ) -> None:
        """`too_late`: why it may leave no more; None: it may. `sent_before`: in this life or an earlier one, and what
        came of that is not known."""
        self.sent_before = sent_before
        self._tool = tool
        self._too_late = too_late
        self._now_ns = now_ns
        self._lock = Lock()
        self._running = self._given_up = False
        self._afterwards: list[Callable[[], None]] = []
        self.left_ns: int | None = None
        """When its function was entered; None: it was not."""

    def through(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function with this around it."""
        if inspect.iscoroutinefunction(function):

            @wraps(function)
            async def entered(**arguments: Any) -> Any:
                self._enter()
                try:
                    return await function(**arguments)
                finally:
                    self._leave()
        else:

            @wraps(function)
            def entered(**arguments: Any) -> Any:
                self._enter()
                try:
                    return function(**arguments)
                finally:
                    self._leave()

        return entered

    def give_up(self, then: Callable[[], None]) -> bool:
        """Nobody waits for it any more. Whether a thread still runs it, which does `then` at its end."""
        with self._lock:
            self._given_up = True
            if self._running:
                self._afterwards.append(then)
            return self._running

    def _enter(self) -> None:
        with self._lock:
            if why := "its caller has given up" if self._given_up else self._too_late():
                raise NotLeft(self._tool, why)
            self._running, self.left_ns = True, self._now_ns()

    def _leave(self) -> None:
        while True:
            with self._lock:
                if not self._afterwards:
                    self._running = False
                    return
                action = self._afterwards.pop(0)
            action()


class Leaving(Invoke):
    """A write, and its departure."""

    departure: Departure

    @staticmethod
    def of(step: Invoke, departure: Departure) -> "Leaving":
        made = Leaving(*step)
        made.departure = departure
        return made
