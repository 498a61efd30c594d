"""What reads may be shown instead of the present: the world as it was, or the world without an effect.

The undo log of the world is whole, so a moment is a point in it; nothing is copied until somebody looks back.
"""

from bisect import bisect_right
from typing import NamedTuple

from faultlab.core.actions import Cause, Meddle, Reply
from faultlab.core.records import Call
from faultlab.engine.server import Server


class Done(NamedTuple):
    """A write as it was carried out, and the point in the undo log before it."""

    point: int
    t: int
    call: Call
    cause: Cause
    done: int | None


class Past:
    """Made only for a plan that looks back; then every call goes through it."""

    __slots__ = ("_done", "_hidden", "_moments", "_points", "_server")

    def __init__(self, server: Server) -> None:
        self._server = server
        self._moments: list[int] = []
        self._points: list[int] = []
        """The point before anything was done at the moment of the same index."""
        self._done: list[Done] = []
        self._hidden: dict[int, int] = {}
        """Call -> until when reads do not see it."""

    def mark(self, now_ns: int) -> None:
        """Something may be done now."""
        if not self._moments or self._moments[-1] < now_ns:
            self._moments.append(now_ns)
            self._points.append(self._server.world.point())

    def forward(self, call: Call, now_ns: int) -> Reply:
        """A call without a fault."""
        self.mark(now_ns)
        early = self._server.admit(call, now_ns)
        return self.commit(call, now_ns) if early is None else early

    def commit(self, call: Call, now_ns: int, cause: Cause = "agent", done: int | None = None) -> Reply:
        """A write is done and remembered; a read is shown what it may see."""
        if call.kind == "read":
            return self._seen(call, now_ns)
        point = self._server.world.point()
        reply = self._server.commit(call, now_ns, cause, done)
        if call.kind == "write" and reply.status < 300:
            self._done.append(Done(point, now_ns, call, cause, done))
        return reply

    def fail(self, call: Call, now_ns: int, *, applied: bool) -> Reply:
        """The server breaks down in a write; one that had its effect is remembered."""
        point, effects = self._server.world.point(), len(self._server.ledger)
        reply = self._server.fail(call, now_ns, applied=applied)
        if len(self._server.ledger) > effects:
            self._done.append(Done(point, now_ns, call, "agent", None))
        return reply

    def meddle(self, wish: Meddle, now_ns: int) -> Reply:
        """Somebody else's write is done and remembered."""
        return self._server.meddle(wish, now_ns, self.commit)

    def hide(self, call: Call, until_ns: int) -> None:
        self._hidden[call.n] = until_ns

    def as_of(self, call: Call, at_ns: int, now_ns: int) -> Reply:
        """The answer that a read would have had after all that was done until `at_ns`."""
        after = bisect_right(self._moments, at_ns)
        if after == len(self._points):
            return self._server.forward(call, now_ns)
        return self._at(self._points[after], [], call, now_ns)

    def _seen(self, call: Call, now_ns: int) -> Reply:
        hidden = {number for number, until_ns in self._hidden.items() if now_ns < until_ns}
        first = next((place for place, item in enumerate(self._done) if item.call.n in hidden), None)
        if first is None:
            return self._server.commit(call, now_ns)
        others = [item for item in self._done[first:] if item.call.n not in hidden]
        return self._at(self._done[first].point, others, call, now_ns)

    def _at(self, point: int, again: list[Done], call: Call, now_ns: int) -> Reply:
        """Answer a call on the world at a point, after doing some writes again; then the world is the present one."""
        server = self._server
        world, ledger = server.world, server.ledger
        server.turn_to(world.at(point), list(ledger))
        try:
            for item in again:
                server.commit(item.call, item.t, item.cause, item.done)
            return server.commit(call, now_ns)
        finally:
            server.turn_to(world, ledger)
