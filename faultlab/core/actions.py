"""What a fault may ask of the engine, and what may be delivered to a caller. A fault is a generator of actions.

def run(self, call):                       # LostReceipt, as a story
    early = yield Admit(call)              # authenticate, look the key up, hold it
    if early is not None:
        return early                       # refused or replayed
    reply = yield Commit(call)             # effect and key record in one step
    return Silence()                       # ... and nobody hears of it
"""

from collections.abc import Generator, Mapping
from typing import Any, Literal, NamedTuple

from faultlab.core.records import Call


class Reply(NamedTuple):
    """A complete answer of the server."""

    status: int
    body: Any
    headers: Mapping[str, str] = {}


class Silence(NamedTuple):
    """The caller hears nothing; how long it waits is its own business."""


class Broken(NamedTuple):
    """The connection ends without a complete answer."""

    how: Literal["refused", "connect_timeout", "reset", "close", "truncated"]
    reply: Reply | None = None
    """For `truncated`: the answer of which the first part arrives."""


class Mangled(NamedTuple):
    """A well-framed answer whose body does not decode."""

    how: Literal["garbled", "short"]
    reply: Reply


Delivery = Reply | Silence | Broken | Mangled


class Admit(NamedTuple):
    """Look the key up and hold it. Gives a Reply (refused, replayed, in flight) or None: go on."""

    call: Call


class Commit(NamedTuple):
    """Apply; effect and key record in one step. Gives the Reply."""

    call: Call


class Preview(NamedTuple):
    """Gives the Reply that admission and commit would give now; nothing is kept."""

    call: Call


class Fire(NamedTuple):
    """The fault has reached its declared phase."""


class Answer(NamedTuple):
    """To the caller now; the script goes on. At most one in a script."""

    delivery: Delivery


class Sleep(NamedTuple):
    """Go on `wait_ns` after the call was sent, or, with `wake`, right after the first negative answer about it."""

    wait_ns: int
    wake: bool = False


class Forget(NamedTuple):
    """Drop the key record of a call."""

    call: Call


Action = Admit | Commit | Preview | Fire | Answer | Sleep | Forget
Script = Generator[Action, Any, Delivery | None]
"""The value that a script returns is its last Answer; None when it has answered before."""
