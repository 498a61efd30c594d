"""All sessions of a server, and the way from a URL to one of them."""

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from faultlab.core.actions import Reply
from faultlab.core.clock import VirtualClock, wall_time
from faultlab.core.errors import BadInput, StoreError
from faultlab.core.records import Claim
from faultlab.core.verdict import Verdict
from faultlab.engine.session import Session
from faultlab.faults.on_socket import missing_on_socket, wants_own_port
from faultlab.matrix.door import BESIDE, aside, task_as_json
from faultlab.matrix.run import Judge
from faultlab.records.served import ServedStore, SessionRow
from faultlab.serve.changes import Change, Stored
from faultlab.serve.keeper import Keeper
from faultlab.serve.live import Live
from faultlab.serve.openapi_data import data_document
from faultlab.serve.order import Order, Unfit, order_of
from faultlab.serve.own_ports import MOST as MOST_PORTS
from faultlab.serve.own_ports import OwnPorts
from faultlab.serve.redacting import redacted
from faultlab.serve.replay import Rebuilder
from faultlab.serve.unserved import is_name, misdirected, no_such_session, session_ended
from faultlab.transports.keys import RawHeaders
from faultlab.transports.wire.gate import Work
from faultlab.transports.wire.speech import Request

PREFIX = b"/s/"
KEPT = 1000
"""Ended sessions whose history is kept; the oldest go first."""
MOST = 20_000
"""Open sessions at a time."""


class Full(Exception):
    """There are as many open sessions as there may be."""


class Sessions:
    """The registry. A session's id is not guessable: who has its URL may call its tools, nobody else."""

    def __init__(self, judge: Judge, store: ServedStore | None = None, most: int = MOST, kept: int = KEPT) -> None:
        self._judge = judge
        self._store = store
        self.keeper: Keeper | None = None
        """The gate, where there is a store; set before the first session."""
        self.ports: OwnPorts | None = None
        """Where sessions can have ports of their own; set before the first session."""
        self._most = most
        self._kept = kept
        self._open: dict[bytes, Live] = {}
        self._owners: dict[Session, Live] = {}
        self._ended: OrderedDict[bytes, Live] = OrderedDict()
        self.default: Live | None = None
        """Where requests go whose URL names no session."""
        self.opened = 0
        self.calls_ended = 0
        self.effects_ended = 0

    async def open(self, order: Order) -> Live:
        """Raises Full, and Unfit for a plan that a socket cannot show."""
        plan = order.group.plan(order.twin)
        ports = self.ports if wants_own_port(plan) and not self.shared else None
        if (why := missing_on_socket(plan, shared=ports is None)) is not None:
            own = "take another twin; env.tools, env.http and Lab.client() can show it"
            raise Unfit([("twin", f"{order.twin} of {order.group.scenario.id}: {why}; {own}")])
        if len(self._open) >= self._most:
            raise Full(f"{self._most} sessions are open; end or delete some")
        if ports is not None and ports.full:
            raise Full(f"{MOST_PORTS} open sessions have a port of their own, as this one needs; end or delete some")
        name = secrets.token_urlsafe(16)
        created = wall_time()
        if self._store is not None and self.keeper is not None:
            try:
                await self.keeper.off(self._store.create, name, order.data, created)
            except StoreError as error:
                raise Full(f"the session cannot be stored: {error}") from error
        self.opened += 1
        live = self._enter(Live(name, order, created))
        if ports is not None:
            try:
                await self._give_port(live, ports)
            except OSError as error:
                await self.delete(live)
                raise Full(f"this session needs a port of its own, and there is none: {error}") from error
        return live

    async def _give_port(self, live: Live, ports: OwnPorts) -> None:
        """Raises OSError where there is none to be had."""
        had = live.address
        await ports.open(live, self)
        if live.address != had:
            await self.passing(live, lambda: self._reorder(live))

    def _reorder(self, live: Live) -> None:
        if self.keeper is not None and live.session is not None:
            self.keeper.reorder(live.session, self._stored(live))

    def _stored(self, live: Live) -> dict[str, Any]:
        return Stored(live.order.data, live.changes, live.address).as_json()

    def _enter(self, live: Live, rebuilder: Rebuilder | None = None) -> Live:
        assert live.session is not None
        self._open[live.id.encode()] = live
        self._owners[live.session] = live
        if self.keeper is not None:
            self.keeper.keep(live, rebuilder or Rebuilder(live))
        return live

    def _remember(self, live: Live) -> None:
        """Keep the history of an ended session, for a while."""
        self._ended[live.id.encode()] = live
        while len(self._ended) > self._kept:
            self._ended.popitem(last=False)

    async def restore(self) -> None:
        """Bring back every open session of the store.

        Raises HarnessFault where one cannot be rebuilt, and BadInput where one cannot have the port that it needs; the
        store keeps it.
        """
        assert self._store is not None
        for row in self._store.open_sessions():
            live = self._rebuild(row)
            if live.address is not None and self.ports is not None:
                try:
                    await self._give_port(live, self.ports)
                except OSError as error:
                    more = "allow the server more open files, or give it another --host"
                    raise BadInput(f"session {live.id} needs a port of its own: {error}; {more}") from error

    def _rebuild(self, row: SessionRow) -> Live:
        """A stored session as it was, its calls made again."""
        assert self._store is not None
        order, changes, address = Stored.of(row.order)
        live = Live(row.id, order_of(order), row.created, changes)
        live.address = address
        rebuilder = Rebuilder(live)
        rebuilder.take(self._store.stored(row.id))
        if row.ended and live.session is not None:
            ended_ns = rebuilder.claim.t if rebuilder.claim is not None else live.session.clock.now()
            live.session.clock = VirtualClock(ended_ns)
            live.end(rebuilder.claim, self._judge)
            self._remember(live)
        else:
            self._enter(live, rebuilder)
        return live

    def get(self, name: str) -> Live | None:
        """In memory, else from the store, where another process or an earlier life of this one may have put it."""
        key = name.encode()
        live = self._open.get(key) or self._ended.get(key)
        if live is None and self._store is not None and (row := self._store.session(name)) is not None:
            return self._rebuild(row)
        return live

    def end(self, live: Live, claim: Claim | None) -> Verdict:
        """Judge a session and free what it needs no more: its world, key records and scripts."""
        session = live.session
        verdict = live.end(claim, self._judge)
        if session is not None:
            self._owners.pop(session, None)
        key = live.id.encode()
        if self._open.pop(key, None) is not None:
            self.calls_ended += live.calls
            self.effects_ended += live.effects
            self._remember(live)
            self._close_port(live)
        return verdict

    def change(self, live: Live, faults: Sequence[Mapping[str, Any]]) -> None:
        """Add faults to a session's plan; none: clear it. Through the gate, by `passing`."""
        made = Change(len(live.events()), faults)
        live.change(made)
        live.changes.append(made)
        self._reorder(live)
        if live.address is not None and self.ports is not None:
            asyncio.get_running_loop().call_soon(self.ports.look, live)

    def _close_port(self, live: Live) -> None:
        if live.address is not None and self.ports is not None:
            self.ports.close(live)

    @property
    def durable(self) -> bool:
        """What callers send is stored."""
        return self._store is not None

    @property
    def shared(self) -> bool:
        """Other processes serve the same sessions."""
        return self._store is not None and self._store.shared

    async def passing(self, live: Live, work: Work) -> None:
        """Do something to a session through the gate, and come back when it is durable."""
        if self.keeper is None or live.session is None:
            work()
            return
        done = asyncio.get_running_loop().create_future()
        self.keeper.enter(live.session, work, lambda: done.set_result(None))
        await done

    async def delete(self, live: Live) -> None:
        """Forget a session, here and in the store."""
        self.forget(live)
        if self.keeper is not None:
            await self.keeper.delete(live)

    def forget(self, live: Live) -> None:
        """It is known here no more."""
        if live.session is not None:
            self._owners.pop(live.session, None)
        self._open.pop(live.id.encode(), None)
        self._ended.pop(live.id.encode(), None)
        if self.default is live:
            self.default = None
        self._close_port(live)

    def __iter__(self) -> Iterator[Live]:
        yield from list(self._open.values())
        yield from list(self._ended.values())

    def __len__(self) -> int:
        return len(self._open) + len(self._ended)

    @property
    def open_count(self) -> int:
        return len(self._open)

    def totals(self) -> tuple[int, int]:
        """Calls and effects of all sessions there have been."""
        open_now = [live.totals() for live in self._open.values()]
        calls = self.calls_ended + sum(count for count, _ in open_now)
        return calls, self.effects_ended + sum(effects for _, effects in open_now)

    # The door of the data port.

    def find(self, target: bytes, headers: RawHeaders) -> tuple[Session, bytes] | Reply:
        """`/s/ID/...`, or the default session for any other path."""
        if target.startswith(PREFIX):
            name, slash, rest = target[len(PREFIX) :].partition(b"/")
            live = self._open.get(name)
            if live is None and self._store is not None and self._store.shared and is_name(name):
                live = self.get(name.decode())
            if live is not None and live.session is not None:
                return (live.session, slash + rest) if live.address is None else misdirected()
            if name in self._ended:
                return session_ended()
        elif self.default is not None and self.default.session is not None:
            return (self.default.session, target) if self.default.address is None else misdirected()
        return no_such_session()

    def of_own_port(self, live: Live, target: bytes) -> tuple[Session, bytes] | Reply:
        """The same URL, on the session's own port; the default session needs no name there either."""
        prefix = PREFIX + live.id.encode()
        if target.startswith(prefix) and target[len(prefix) :][:1] in (b"/", b""):
            target = target[len(prefix) :]
        elif target.startswith(PREFIX) or self.default is not live:
            return no_such_session()
        return session_ended() if live.session is None else (live.session, target)

    def beside(self, request: Request) -> bool:
        return request.target in BESIDE or request.target == b"/openapi.json"

    def aside(self, session: Session, request: Request) -> Reply:
        """The agent's own side of an attempt, and `GET /openapi.json`. It is not told how its claim is judged."""
        live = self._owners.get(session)
        if live is None:
            return session_ended()
        if request.target == b"/openapi.json":
            return Reply(200, data_document(live.order.group, f"/s/{live.id}"))
        if self.durable:
            request = redacted(session, request)
        return aside(
            request, task=lambda: task_as_json(live.task), claim=lambda claim: self._claimed(live, claim), ask=live.ask
        )

    def _claimed(self, live: Live, claim: Claim) -> None:
        self.end(live, claim)
