"""What happens to a function that runs in a lab: its value or exception, the claim that it makes so, and its end."""

import inspect
from collections.abc import Callable, Coroutine
from typing import Any

from faultlab.api.bridge import bridged
from faultlab.api.ending import operations_of, raised, returned
from faultlab.api.running import ADVICE, called, completed, in_loop
from faultlab.api.session import FrontSession
from faultlab.api.stand import Stand
from faultlab.core.errors import AttemptOver, BadInput, FaultlabError, Hung
from faultlab.core.history import End
from faultlab.core.operation import Operation
from faultlab.core.records import Claim
from faultlab.matrix.attempt import horizon
from faultlab.matrix.loop import Deadlock

Classes = tuple[type[BaseException], ...]


class NeverEnded(Exception):
    """The function waits for ever, or calls without end."""


class Course:
    """The runs of one lab. The claim of the last one counts."""

    def __init__(self, stand: Stand) -> None:
        self.claim: Claim | None = None
        self.end: End = "claimed"
        self.error = ""
        self.raised: Exception | None = None
        self.running = False
        self._stand = stand
        self._told: BaseException | None = None
        """What has come out of a run."""
        self._over_ns: int | None = None
        """When a coroutine ended, before what was left at work came to its end."""

    def run(self, start: Callable[[], Any], hands_over: Classes) -> Any:
        """The value, None where an exception came out; inside a running loop, what is to be awaited for it.

        Raises NeverEnded, and what is no answer of the function: AssertionError, BadInput, what ends a process.
        """
        clock = self._stand.clock

        def complete() -> Any:
            value = called(start, clock)
            return completed(self._landed(value), clock) if inspect.iscoroutine(value) else value

        if not in_loop():
            return self._value_of(complete, hands_over)
        value = self._value_of(lambda: called(start, clock), hands_over)
        return self._awaited(value, hands_over) if inspect.iscoroutine(value) else value

    @property
    def misuse(self) -> BadInput | None:
        """A mistake of the test's author that a call has found and no run has told."""
        misuse = self._stand.misuse
        return None if misuse is self._told else misuse

    def land(self) -> int:
        """Let everything happen that still can, up to the horizon, which is returned."""
        self._stand.settle()
        session = self._stand.session
        horizon_ns = horizon(session, self._stand.clock.now())
        session.engine.catch_up(horizon_ns)
        return horizon_ns

    def _value_of(self, call: Callable[[], Any], hands_over: Classes) -> Any:
        """A coroutine says nothing before it is awaited."""
        self.running, self.raised, self._over_ns = True, None, None
        try:
            value = call()
        except BaseException as error:  # noqa: BLE001  raised again where it is no answer
            self._broke_off(error, hands_over)
            return None
        finally:
            self.running = False
        if not inspect.iscoroutine(value):
            self._claims(returned(value, self._operations()))
        return value

    async def _awaited(self, main: Coroutine[Any, Any, Any], hands_over: Classes) -> Any:
        self.running = True
        try:
            value = await self._landed(main)
        except BaseException as error:  # noqa: BLE001  as above
            self._broke_off(error, hands_over)
            return None
        finally:
            self.running = False
        self._claims(returned(value, self._operations()))
        return value

    async def _landed(self, main: Coroutine[Any, Any, Any]) -> Any:
        """The result of a coroutine. What comes late comes on its loop: an async app may be bound to it."""
        try:
            value = await main
        except Exception:
            await self._settle()
            raise
        await self._settle()
        return value

    async def _settle(self) -> None:
        self._over_ns = self._stand.clock.now()
        session = self._stand.session
        if isinstance(session, FrontSession):
            await session.settle()
        await bridged(self.land)

    def _broke_off(self, error: BaseException, hands_over: Classes) -> None:
        """An exception came out: what that says."""
        if isinstance(error, Hung | AttemptOver | Deadlock):
            self.end = "over_budget" if isinstance(error, AttemptOver) else "hung"
            self.error = str(error).replace("run this agent with --clock real", ADVICE)
            self.claim = None
            raise NeverEnded(self.error) from error
        if not isinstance(error, Exception) or isinstance(error, AssertionError | FaultlabError):
            self._told = error
            raise error
        self.raised = error
        self._claims(raised(error, hands_over, self._operations()))

    def _claims(self, claim: Claim) -> None:
        if (misuse := self.misuse) is not None:
            self._told, self.claim = misuse, None
            raise misuse  # the code under test has caught it
        self.end, self.error = "claimed", ""
        self.claim = claim._replace(t=self._stand.clock.now() if self._over_ns is None else self._over_ns)

    def _operations(self) -> list[Operation]:
        self._stand.settle()
        return operations_of(self._stand.contract, self._stand.session.events, self._stand.at_most)
