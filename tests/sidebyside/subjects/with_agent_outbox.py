"""agent-outbox: `ToolExecutor.run` with its SQLite store; the key that it fills in is passed on.

Its heartbeat thread is left out: no request here lasts the 10 s after which it would beat first, and a thread would
move the attempts to the real clock.
"""

import threading
from types import SimpleNamespace
from typing import Any

import agent_outbox.executor
import agent_outbox.store
from agent_outbox import OutboxStore, ToolExecutor
from sidebyside.dates import Now
from sidebyside.work import Call, Desk, again, subject


class Still:
    """A thread that never runs."""

    def __init__(self, **_: Any) -> None: ...

    def start(self) -> None: ...

    def join(self, timeout: float) -> None: ...


agent_outbox.executor.datetime = agent_outbox.store.datetime = Now
agent_outbox.executor.threading = SimpleNamespace(Event=threading.Event, Thread=Still)


class Failed(Exception):
    """An Execution that is not ok."""


def layer(desk: Desk) -> Call:
    executor = ToolExecutor(OutboxStore(desk.file("outbox.db")))

    def call(name: str, args: Any) -> Any:
        def tool(idempotency_key: str | None = None, **named: Any) -> Any:
            return desk.send(name, named, idempotency_key)

        execution = executor.run(name, tool, args, desk.ticket)
        if not execution.ok:
            raise Failed(execution.error)
        return execution.result

    return again(call)


agent = subject(layer)
