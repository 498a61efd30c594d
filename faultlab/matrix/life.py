"""An agent's lives in one attempt: a planned crash ends one, and the agent is called again.

A crash must get out of the agent. One that catches it and goes on has done what no dead process can do.
"""

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Any

from faultlab.core.agent import Crash, Task
from faultlab.engine.session import Session
from faultlab.matrix.env import LabEnv

Agent = Callable[..., Any]


class Absorbed(Exception):
    """The agent caught a planned crash."""


def live(agent: Agent, task: Task, env: LabEnv, session: Session) -> Any:
    """What a synchronous agent returns in its last life. Raises what comes out of it, and Absorbed."""
    while True:
        with _life(session):
            return agent(task, env)
        env = env.again()


async def alive(agent: Agent, task: Task, env: LabEnv, session: Session) -> Any:
    """The same for an async agent. Tasks that a life leaves behind end with it."""
    while True:
        with _life(session):
            return await agent(task, env)
        await _bury()
        env = env.again()


class _life:
    """Lets the body end by a planned crash, and by nothing else once there was one."""

    __slots__ = ("_session",)

    def __init__(self, session: Session) -> None:
        self._session = session

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        crash = self._session.crash
        if crash is None:
            return False
        died = _is_crash(error)
        if error is None or isinstance(error, Exception) or (died and self._session.went_on):
            raise Absorbed(
                f"the process died at call {crash.call}, as planned, and the agent went on: it must not catch"
                " BaseException, or must raise Crash again"
            ) from error
        return died


def _is_crash(error: BaseException | None) -> bool:
    """Also where a task group has wrapped it."""
    if isinstance(error, BaseExceptionGroup):
        return error.subgroup(Crash) is not None
    return isinstance(error, Crash)


async def _bury() -> None:
    """End what the dead process left running; nothing of it reaches the lab."""
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    if left:
        await asyncio.wait(left)
    for task in left:
        if not task.cancelled():
            task.exception()
