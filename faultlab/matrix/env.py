"""The agent's surroundings for one attempt, over one session."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from tempfile import TemporaryDirectory
from typing import Any, Literal

from faultlab.core.agent import HAND_OVER_COST, Budget
from faultlab.core.canonical import copy_json
from faultlab.core.clock import NS
from faultlab.core.handover import record_of
from faultlab.core.knowledge import Knowledge
from faultlab.core.records import Ask, Claim, HandOver, Note, Outcome
from faultlab.engine.session import Session
from faultlab.matrix.scenario import Saying
from faultlab.transports.direct import async_tools, sync_tools
from faultlab.transports.http_library import BASE_URL


class LabEnv:
    """Implements `core.agent.Env`. HTTP clients are made on first use.

    `store` and `notes`: what the two hold at the start.
    """

    def __init__(
        self,
        session: Session,
        user: Sequence[str | Saying] = (),
        resumed: bool = False,
        store: Mapping[str, Any] | None = None,
        notes: Mapping[str, Any] | None = None,
    ) -> None:
        self._session = session
        self._sayings = user
        self._user = iter(user)
        self._http: Any = None
        self._ahttp: Any = None
        self._tools: Mapping[str, Callable[..., Any]] | None = None
        self._atools: Mapping[str, Callable[..., Awaitable[Any]]] | None = None
        self._resumed = resumed
        self._store = Recorded(session, "store", store or {})
        self._notes = Recorded(session, "notes", notes or {})
        session.notes = self._notes.entries
        self._folder: TemporaryDirectory[str] | None = None

    def again(self) -> "LabEnv":
        """What the agent finds when its process is started once more: its journal, if that was kept, and no notes.

        The user, asked again, says the same again.
        """
        session = self._session
        assert session.crash is not None
        kept = self._store.entries if session.crash.journal == "kept" else {}
        next_life = LabEnv(session, self._sayings, resumed=True, store=kept)
        if self._folder is not None and session.crash.journal == "kept":
            next_life._folder = self._folder
        elif self._folder is not None:
            self._folder.cleanup()
        session.revive()
        return next_life

    def folder(self) -> TemporaryDirectory[str]:
        """Where a program keeps what must survive a crash: its `env.store`. Whoever asks for it cleans it up."""
        if self._folder is None:
            self._folder = TemporaryDirectory(prefix="faultlab-")
        return self._folder

    @property
    def tools(self) -> Mapping[str, Callable[..., Any]]:
        if self._tools is None:
            self._tools = sync_tools(self._session)
        return self._tools

    @property
    def atools(self) -> Mapping[str, Callable[..., Awaitable[Any]]]:
        if self._atools is None:
            self._atools = async_tools(self._session)
        return self._atools

    @property
    def http(self) -> Any:
        if self._http is None:
            from faultlab.transports.httpx_transport import client

            self._http = client(self._session)
        return self._http

    @property
    def ahttp(self) -> Any:
        if self._ahttp is None:
            from faultlab.transports.httpx_transport import aclient

            self._ahttp = aclient(self._session)
        return self._ahttp

    @property
    def base_url(self) -> str:
        return BASE_URL

    @property
    def budget(self) -> Budget:
        return self._session.brief.budget

    @property
    def calls(self) -> int:
        return self._session.count

    @property
    def store(self) -> MutableMapping[str, Any]:
        return self._store

    @property
    def notes(self) -> MutableMapping[str, Any]:
        return self._notes

    @property
    def resumed(self) -> bool:
        return self._resumed

    def now(self) -> float:
        return self._session.clock.now() / NS

    def sleep(self, wait_s: float) -> None:
        self._session.alive()
        self._session.clock.sleep(wait_s)
        self._session.check(self._session.clock.now())

    async def asleep(self, wait_s: float) -> None:
        self._session.alive()
        await self._session.clock.asleep(wait_s)
        self._session.check(self._session.clock.now())

    def ask_user(self, text: str) -> str | None:
        self._session.alive()
        said = next(self._user, None)
        answer, retracts = said if isinstance(said, Saying) else (said, None)
        self._session.events.append(Ask(self._session.clock.now(), text, answer, retracts))
        return answer

    def hand_over(self, text: str, records: Iterable[HandOver] | None = None) -> Claim:
        self._session.alive()
        self._session.cost += HAND_OVER_COST
        filled = tuple(self._open_records() if records is None else records)
        return Claim("handed_over", text, tuple(sorted({n for item in filled for n in item.reads})), {}, filled)

    def _open_records(self) -> Iterator[HandOver]:
        """One record for each operation of unknown outcome, from what went over the wire."""
        brief = self._session.brief
        knowledge = Knowledge(brief.contract.disclosed(), brief.expectation.intended, brief.writes)
        for event in self._session.events:
            knowledge.see(event)
        for operation in knowledge.operations:
            if operation.knowledge is Outcome.UNKNOWN:
                yield record_of(operation)


class Copies(Mapping[str, Mapping[str, Any]]):
    """Specifications of which each that is looked at is the agent's own copy: it may change what it gets."""

    def __init__(self, specs: Mapping[str, Mapping[str, Any]]) -> None:
        self._specs = specs
        self._copied: dict[str, Mapping[str, Any]] = {}

    def __getitem__(self, name: str) -> Mapping[str, Any]:
        if name not in self._copied:
            self._copied[name] = copy_json(self._specs[name])
        return self._copied[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._specs)

    def __len__(self) -> int:
        return len(self._specs)


class Recorded(MutableMapping[str, Any]):
    """Named entries whose every change stands in the history. What is read or written is a copy, as from a disk."""

    def __init__(self, session: Session, kind: Literal["store", "notes"], entries: Mapping[str, Any]) -> None:
        self.entries = copy_json(dict(entries))
        self._session = session
        self._kind = kind

    def __getitem__(self, name: str) -> Any:
        return copy_json(self.entries[name])

    def __setitem__(self, name: str, value: Any) -> None:
        self._session.alive()
        self.entries[name] = kept = copy_json(value)
        self._session.events.append(Note(self._session.clock.now(), self._kind, name, kept))

    def __delitem__(self, name: str) -> None:
        self._session.alive()
        del self.entries[name]
        self._session.events.append(Note(self._session.clock.now(), self._kind, name, None, gone=True))

    def __iter__(self) -> Iterator[str]:
        return iter(list(self.entries))

    def __len__(self) -> int:
        return len(self.entries)


def session_of(env: LabEnv) -> Session:
    """The server behind it, for those who run the agent."""
    return env._session
