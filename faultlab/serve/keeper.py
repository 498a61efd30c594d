"""Durable sessions: nobody hears of an effect before it is on disk together with its key record and history."""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

from faultlab.core.errors import FaultlabError, HarnessFault
from faultlab.core.trace import event_as_json
from faultlab.engine.session import Session
from faultlab.records.served import Batch, Line, ServedStore, Turn
from faultlab.serve.live import Live
from faultlab.serve.replay import Rebuilder
from faultlab.serve.views import verdict_view
from faultlab.transports.wire.gate import Work

T = TypeVar("T")
Steps = Callable[[str], None]
"""Told the name of each step between two durable states: `effect`, `writing`, `committed`, `answered`."""


class Kept:
    """One durable session: how much of it is stored, and what waits for its turn."""

    __slots__ = ("effects", "ended", "events", "live", "order", "rebuilder", "session", "turning", "waiting")

    def __init__(self, live: Live, session: Session, rebuilder: Rebuilder) -> None:
        self.live = live
        self.session = session
        self.rebuilder = rebuilder
        self.events = len(session.events)
        self.effects = len(session.engine.ledger)
        self.ended = False
        self.order: Mapping[str, Any] | None = None
        """A new one, which is not stored yet."""
        self.waiting: deque[tuple[Work, Work]] = deque()
        self.turning = False

    def unsaved(self) -> Batch:
        """What has happened since the last time."""
        session, name = self.session, self.live.id
        events = session.events[self.events :]
        effects = session.engine.ledger[self.effects :]
        ends, orders = [], []
        if self.live.verdict is not None and not self.ended:
            self.ended = True
            ends.append(Line(name, 0, verdict_view(self.live, self.live.verdict)))
        if self.order is not None:
            orders.append(Line(name, 0, self.order))
            self.order = None
        batch = Batch(
            [Line(name, self.events + n, event_as_json(event)) for n, event in enumerate(events)],
            [Line(name, self.effects + n, event_as_json(effect)) for n, effect in enumerate(effects)],
            ends,
            orders,
        )
        self.events += len(events)
        self.effects += len(effects)
        return batch


class _Waiting(NamedTuple):
    batch: Batch
    release: Work


class Keeper:
    """The gate of a server with a store.

    Alone on its store it lets calls take effect at once and commits them in groups, off the loop: while one group is
    on its way to the disk the next one gathers. On a shared store a session takes turns: what others have added is
    let happen first, then all that waits here, in one transaction.
    """

    def __init__(
        self,
        store: ServedStore,
        failed: Callable[[FaultlabError], None],
        gone: Callable[[Live], None],
        steps: Steps,
    ) -> None:
        """`failed`: told that the store cannot be written. `gone`: told of a session that another process deleted."""
        self._store = store
        self._failed = failed
        self._gone = gone
        self._steps = steps
        self._kept: dict[Session, Kept] = {}
        self._group: list[_Waiting] = []
        self._writing = False
        self._broken = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._pool = ThreadPoolExecutor(8 if store.shared else 1, "faultlab-store")

    def keep(self, live: Live, rebuilder: Rebuilder) -> None:
        """From now on the session is durable; what it holds is stored already."""
        assert live.session is not None
        self._kept[live.session] = Kept(live, live.session, rebuilder)

    def reorder(self, session: Session, order: Mapping[str, Any]) -> None:
        """Store another order of a session, together with what is done to it now."""
        self._kept[session].order = order

    async def delete(self, live: Live) -> None:
        """Forget a session; comes back when it is not in the store any more. What its callers wait for is let out."""
        if live.session is not None:
            self._kept.pop(live.session, None)
        batch = Batch(gone=[live.id])
        if self._store.shared:
            await self.off(self._store.append, batch)
            return
        done = asyncio.get_running_loop().create_future()
        self._add(batch, lambda: done.set_result(None))  # behind what its calls have added
        await done

    async def off(self, work: Callable[..., T], *args: Any) -> T:
        """Ask something of the store, off the loop."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work, *args)

    def enter(self, session: Session, work: Work, release: Work) -> None:
        """See `Gate`."""
        kept = self._kept.get(session)
        if self._broken:
            return
        if kept is None:  # it has ended, and that is stored
            work()
            release()
            return
        if self._store.shared:
            kept.waiting.append((work, release))
            if not kept.turning:
                kept.turning = True
                self._submit(self._turn(kept))
            return
        work()
        self._steps("effect")
        batch = kept.unsaved()
        if kept.ended:
            self._kept.pop(session)
        if not batch and not self._writing:
            release()
            return
        self._add(batch, release)

    def _add(self, batch: Batch, release: Work) -> None:
        self._group.append(_Waiting(batch, release))
        if not self._writing:
            self._writing = True
            self._submit(self._write())

    def _submit(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        """A store that cannot be written ends the server: an effect in memory must not outlive its record."""
        self._tasks.discard(task)
        error = task.exception()
        if error is None:
            return
        self._broken = True
        if isinstance(error, FaultlabError):
            self._failed(error)
        else:
            self._failed(HarnessFault(f"the store of the server failed: {error!r}"))

    async def _write(self) -> None:
        while self._group:
            group, self._group = self._group, []
            self._steps("writing")
            await self.off(self._store.append, Batch.of(item.batch for item in group))
            self._steps("committed")
            for item in group:
                item.release()
            self._steps("answered")
        self._writing = False

    async def _turn(self, kept: Kept) -> None:
        while kept.waiting:
            group = list(kept.waiting)
            kept.waiting.clear()
            # One thread holds the transaction; the session itself is only touched on the loop.
            turn = self._store.turn(kept.live.id)
            held = await self.off(turn.__enter__)
            try:
                if held.gone:
                    self._kept.pop(kept.session, None)
                    self._gone(kept.live)
                else:
                    await self._work(kept, held, group)
            except BaseException as error:
                await self.off(turn.__exit__, type(error), error, error.__traceback__)
                raise
            await self.off(turn.__exit__, None, None, None)
            self._steps("committed")
            for _, release in group:
                release()
            self._steps("answered")
        kept.turning = False
        if kept.ended:
            self._kept.pop(kept.session, None)

    async def _work(self, kept: Kept, held: Turn, group: Iterable[tuple[Work, Work]]) -> None:
        """All that waits, upon what others have added."""
        stored = await self.off(held.stored, kept.events)
        kept.rebuilder.take(stored)
        kept.events += len(stored.events)
        kept.effects = max(kept.effects, stored.effects)
        for work, _ in group:
            work()
        self._steps("effect")
        batch = kept.unsaved()
        self._steps("writing")
        await self.off(held.add, batch)

    async def close(self) -> None:
        """Write what is left, and give the store back."""
        if self._tasks:
            await asyncio.wait(self._tasks)
        self._pool.shutdown()
        self._store.close()
