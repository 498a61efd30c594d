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

from faultlab.core.records import Actor, Call

Cause = Literal["agent", "server", "interference", "middlebox", "human"]
"""Who answers for an effect if it is one too many."""


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


class Slow(NamedTuple):
    """A whole answer that comes `wait_ns` later than usual, if the caller still waits for it."""

    reply: Reply
    wait_ns: int


PIECES = 8
"""In how many pieces a dribbled answer comes."""


class Dribble(NamedTuple):
    """A whole answer in PIECES pieces, `gap_ns` apart. A caller's read timeout holds for each gap, not for all."""

    reply: Reply
    gap_ns: int


class Died(NamedTuple):
    """The caller's own process ends before it has the receipt: its tool call raises `faultlab.Crash`."""

    when: Literal["before_send", "after_dispatch", "after_receipt"]
    journal: Literal["kept", "lost"]
    """`lost`: what it kept in `env.store` is gone as well."""


class Cancelled(NamedTuple):
    """The caller itself gives up, `after_ns` after it sent the call. Only a tool called as a function can do that."""

    after_ns: int


Delivery = Reply | Silence | Broken | Mangled | Slow | Dribble | Died | Cancelled


class Admit(NamedTuple):
    """Look the key up and hold it. Gives a Reply (refused, replayed, in flight) or None: go on."""

    call: Call


class Commit(NamedTuple):
    """Apply; effect and key record in one step. Gives the Reply. A cause other than the agent is a copy of its call."""

    call: Call
    cause: Cause = "agent"
    done: int | None = None
    """Of a tool that takes a list of items: only the first so many are done."""


class Fail(NamedTuple):
    """The server itself breaks down in an admitted call, after its effect or before it. Gives its 500; what becomes of
    the key is the contract's own."""

    call: Call
    applied: bool


class Preview(NamedTuple):
    """Gives the Reply that admission and commit would give now; nothing is kept."""

    call: Call


class AsOf(NamedTuple):
    """Gives the Reply of a read as the world was at `at_ns`; before the start: as it was at the start."""

    call: Call
    at_ns: int


class Hide(NamedTuple):
    """Until `until_ns` reads see the world without the effect of a committed call."""

    call: Call
    until_ns: int


class Abort(NamedTuple):
    """End an admitted call without an effect, for good: a status query answers `failed`."""

    call: Call


class Meddle(NamedTuple):
    """Another client's call, executed now. Gives its Reply. Its effect names the actor and no call."""

    tool: str
    args: Mapping[str, Any]
    actor: Actor
    reference: str | None = None
    key: str | None = None


class Fire(NamedTuple):
    """The fault has reached its declared phase."""


class Answer(NamedTuple):
    """To the caller now; the script goes on. At most one in a script."""

    delivery: Delivery


class Sleep(NamedTuple):
    """Go on `wait_ns` after the call was sent; sooner, with `wake`, right after the first negative answer about it,
    and with `newer`, right after a later call of the same tool and identity was answered 2xx."""

    wait_ns: int
    wake: bool = False
    newer: bool = False


class Forget(NamedTuple):
    """Drop the key record of a call."""

    call: Call


class ForgetKeys(NamedTuple):
    """The key store is lost: what is executed again under an old key is the server's fault."""


class Down(NamedTuple):
    """Until `until_ns` nobody listens: every call is refused a connection."""

    until_ns: int


class Unnote(NamedTuple):
    """With the receipt of this call the caller's notes of these names are gone."""

    names: tuple[str, ...]


Action = (
    Admit
    | Commit
    | Fail
    | Preview
    | AsOf
    | Hide
    | Abort
    | Meddle
    | Fire
    | Answer
    | Sleep
    | Forget
    | ForgetKeys
    | Down
    | Unnote
)
Script = Generator[Action, Any, Delivery | None]
"""The value that a script returns is its last Answer; None when it has answered before."""
