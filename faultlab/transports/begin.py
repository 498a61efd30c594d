"""A call leaves its caller: as a decoded request, or from a function that stamps its keys itself."""

import sys

from faultlab.core.clock import instant
from faultlab.core.errors import BadInput
from faultlab.core.records import Call
from faultlab.engine.engine import Ticket
from faultlab.engine.session import Session
from faultlab.transports.codec import Asked


def in_trio() -> bool:
    """Whether the caller is a task of trio's."""
    trio = sys.modules.get("trio")
    if trio is None:
        return False
    try:
        trio.lowlevel.current_task()
    except RuntimeError:
        return False  # loaded, and not running here
    return True


def awaitable_here() -> None:
    """Raises BadInput under trio, before a call begins: the lab's waits are those of asyncio."""
    if in_trio():
        raise BadInput(
            "an async call to the lab was made under trio, and the lab knows asyncio only: run this under asyncio (with"
            ' anyio: a fixture anyio_backend that returns "asyncio"), or call the lab\'s synchronous doors'
        )


def begun(session: Session, asked: Asked, resent: int = 0) -> Ticket:
    """The call of a request. `resent`: the call that the same request was before."""
    tool, args, key, reference, if_match, first_sent_s = asked
    first_sent_ns = None if first_sent_s is None else instant(session.clock, first_sent_s)
    return session.begin(
        tool, args, key=key, reference=reference, if_match=if_match, first_sent_ns=first_sent_ns, resent=resent
    )


def stamp(session: Session, key: str | None) -> int | None:
    """When a key was first sent, as a generated client writes it into each request; None: the contract has no such
    thing."""
    rules = session.brief.contract.key
    if key is None or rules is None or rules.first_sent_header is None:
        return None
    sent = (event.t for event in session.events if type(event) is Call and event.key == key)
    return next(sent, session.clock.now())
