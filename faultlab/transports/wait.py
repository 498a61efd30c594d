"""The two waits: the only code that differs between a synchronous and an asynchronous caller."""

import asyncio

from faultlab.core.records import Receipt
from faultlab.engine.engine import Ticket
from faultlab.engine.session import Session


def wait(session: Session, ticket: Ticket, patience_ns: int | None) -> Receipt:
    """Hold the caller until its receipt is there."""
    while True:
        session.clock.until(session.moment(ticket, patience_ns))
        if session.ready(ticket, patience_ns):
            return session.finish(ticket, patience_ns)


async def await_receipt(session: Session, ticket: Ticket, patience_ns: int | None) -> Receipt:
    """The same for an async caller; its cancellation leaves the call running on the server."""
    try:
        while True:
            await session.clock.auntil(session.moment(ticket, patience_ns))
            if session.ready(ticket, patience_ns):
                return session.finish(ticket, patience_ns)
    except asyncio.CancelledError:
        session.abandon(ticket, "CancelledError")
        raise
