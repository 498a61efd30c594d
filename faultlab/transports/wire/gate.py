"""When a call may take effect and when its caller may hear of it: at once, or once it is durable."""

from collections.abc import Callable
from typing import Protocol

from faultlab.engine.session import Session

Work = Callable[[], object]


class Gate(Protocol):
    """What stands between the data port and a session."""

    def enter(self, session: Session, work: Work, release: Work) -> None:
        """Do `work`, which may have an effect; call `release`, which may tell of it, when the effect cannot be lost."""


class OpenGate:
    """For sessions that live in memory: nothing is waited for."""

    def enter(self, session: Session, work: Work, release: Work) -> None:
        work()
        release()
