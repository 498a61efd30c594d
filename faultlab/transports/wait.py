"""The two waits: the only code that differs between a synchronous and an asynchronous caller."""

import asyncio

from faultlab.core.records import Receipt
from faultlab.engine.engine import Ticket
from faultlab.engine.session import Session


def wait(session: Session, ticket: Ticket, patience_ns: int | None) -> Receipt:
    """Hold the caller until its receipt is there."""
    clock = session.clock
    while (arrival := session.arrival(ticket, patience_ns)) is None:
        clock.until(session.next_look(ticket, patience_ns))
        session.engine.catch_up(clock.now())
    at_ns = arrival.t
    while clock.now() < at_ns:
        clock.until(at_ns)
    return session.finish(ticket, arrival)


async def await_receipt(session: Session, ticket: Ticket, patience_ns: int | None) -> Receipt:
    """The same for an async caller; its cancellation leaves the call running on the server."""
    clock = session.clock
    try:
        while (arrival := session.arrival(ticket, patience_ns)) is None:
            await clock.auntil(session.next_look(ticket, patience_ns))
            session.engine.catch_up(clock.now())
        await clock.auntil(arrival.t)
        while clock.now() < arrival.t:
            await clock.auntil(arrival.t)
    except asyncio.CancelledError:
        session.abandon(ticket, "CancelledError")
        raise
    return session.finish(ticket, arrival)
