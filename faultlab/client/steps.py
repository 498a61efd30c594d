"""What a recovery asks its driver to do. One generator serves synchronous and asynchronous callers."""

from collections.abc import Callable, Generator, Mapping
from typing import Any, NamedTuple

from faultlab.core.records import HandOver, Receipt, Status


class Invoke(NamedTuple):
    """Call a tool. The driver answers with its Receipt."""

    tool: str
    args: Mapping[str, Any]
    key: str | None = None
    reference: str | None = None
    if_match: str | None = None


class Sleep(NamedTuple):
    """Wait."""

    wait_s: float


class Write(NamedTuple):
    """Write to the journal, and go on only when it is there. The driver answers with what `action` returned."""

    name: str
    """`claim`, `sending`, `received`, `settled` or `release`: what tests stop a process at."""
    action: Callable[[], Any]


class Unsent(BaseException):
    """Thrown into the machine at a step that was not begun: its caller was cancelled during the write before it."""


class Stop(NamedTuple):
    """The end of a recovery: what may be claimed of the operation."""

    status: Status
    evidence: tuple[int, ...] = ()
    record: HandOver | None = None
    text: str | None = None
    """Replaces what the clerk would say."""


Steps = Generator[Invoke | Sleep, Receipt | None, Stop | None]
"""A move: None at its end means "look at the table again"."""

Step = Invoke | Sleep | Write
"""What the driver of the tool client is asked for."""
