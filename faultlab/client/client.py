"""client: ToolClient, which stands between an agent and the tools by which it changes something."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from os import PathLike
from typing import Any, Self, TypeVar

from faultlab.client import given
from faultlab.client.drivers import Hook, arun, run
from faultlab.client.given import storable, text, unfit
from faultlab.client.http import Wrapped, wrapped
from faultlab.client.operate import Desk, operate
from faultlab.client.policy import TABLE, Policy
from faultlab.client.result import Result, undeclared, unwrap
from faultlab.client.spans import Spans, no_spans, spans_of
from faultlab.client.threads import Threads
from faultlab.client.tool_spec import HANDLES, ToolSpec
from faultlab.client.work import Times
from faultlab.core.agent import Budget
from faultlab.core.canonical import canonical
from faultlab.core.clock import Clock, RealClock
from faultlab.core.contract import Contract
from faultlab.core.errors import BadInput
from faultlab.records.journal_rows import Journal, OperationRow

BUDGET = Budget(calls=12, seconds=60.0, cost=20.0)
"""What one `call` may use before it hands over."""

R = TypeVar("R")
HttpClient = TypeVar("HttpClient")


def _no_hook(name: str) -> None:
    pass


class ToolClient:
    """Calls tools so that each intended effect happens once, over lost receipts, retries and restarts.

    An operation is tool + identity + `operation` label within a `run`. Called again, it is gone on with or answered
    from the journal, never begun anew. Threads and processes may share a journal.
    """

    def __init__(
        self,
        journal: str | PathLike[str] | Journal,
        *,
        run: str | None = None,
        budget: Budget = BUDGET,
        fsync: bool = True,
        lost: bool = False,
        lease_s: float = 60.0,
        clock: Clock | None = None,
        table: Policy = TABLE,
        spans: bool = False,
        hook: Hook = _no_hook,
    ) -> None:
        """Open the journal.

        journal: a path or `sqlite:///PATH`, or `postgresql://USER@HOST/NAME` (extra `postgres`).
        run: names the work at hand (a ticket, a thread, a workflow run): equal calls of one run are one operation.
            None: one run for the whole journal.
        budget: of one call, with all its questions and waits.
        fsync: False: written records survive the death of the process, but not a power cut.
        lost: the journal that was here before is gone: of whatever is not in this one, nobody knows whether it was
            sent. So it is asked after first, by the handles that it had then.
        lease_s: how long an operation belongs to the process that works at it, from each of its steps. Longer than
            the longest request; as long must others wait after that process died.
        spans: OpenTelemetry spans (extra `otel`).
        BadInput: the journal's place, or an extra that is missing. StoreError: it cannot be opened.
        """
        if run is not None:
            text("run", run, "ticket-4711")
        budget, lease_s, where = given.budget(budget), given.lease(lease_s), given.place(journal)
        self._spans: Spans = spans_of() if spans else no_spans  # first: a missing extra leaves no journal open
        self._journal = _opened(where, fsync=fsync)
        self._threads = Threads()
        self._clock = clock or RealClock()
        self._desk = Desk(self._journal, Times(self._clock), budget, table, lease_s, lost)
        self._run = self._journal.run_id() if run is None else run
        self._tools: dict[str, ToolSpec] = {}
        self._hook = hook

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the journal, once the threads that write it are done."""
        self._threads.close()
        self._journal.close()

    def of_run(self, run: str) -> "ToolClient":
        """The same client, journal and tools, for another run."""
        other = object.__new__(type(self))
        other.__dict__ = {**self.__dict__, "_run": text("run", run, "ticket-4711")}
        return other

    def add(self, spec: ToolSpec) -> ToolSpec:
        """Declare a tool. BadInput: the name is taken by another one."""
        if "operation" in spec.parameters:
            raise BadInput(
                f"tool {spec.name}: rename its parameter 'operation': that word labels equal operations here"
            )
        given.terms(spec.contract)
        if self._tools.setdefault(spec.name, spec) is not spec:
            raise BadInput(f"tool {spec.name} is declared already; give one of the two another name=...")
        return spec

    def call(self, tool: "str | ToolSpec | Callable[..., Any]", /, *, operation: str = "", **arguments: Any) -> Result:
        """Carry the operation out, or say what became of it. Raises no error of the tool: the result tells.

        tool: a declared name, a ToolSpec, or a guarded function. operation: tells equal ones apart (`"line-2"`).
        BadInput: unknown tool, wrong arguments, or other parameters than the same operation was called with before.
        StoreError: the journal cannot be written; nothing was sent that is not in it.
        """
        spec = self._spec(tool)
        return self._do(spec, self._new(spec, arguments, operation))

    async def acall(
        self, tool: "str | ToolSpec | Callable[..., Any]", /, *, operation: str = "", **arguments: Any
    ) -> Result:
        """The same for asynchronous callers; functions that are no coroutines run in a thread."""
        spec = self._spec(tool)
        return await self._ado(spec, self._new(spec, arguments, operation))

    def guard(
        self,
        *,
        contract: Contract | str | Mapping[str, Any],
        identity: Iterable[str],
        query: Callable[..., Any] | None = None,
        status: Callable[..., Any] | None = None,
        fence: Callable[..., Any] | None = None,
        idempotent: bool = False,
        provisional: bool = False,
        name: str | None = None,
    ) -> Callable[[Callable[..., R]], Callable[..., R]]:
        """Make every call of a function an operation (see `ToolSpec.of`). It keeps its name, docstring and signature,
        without `idempotency_key` and `reference`, and takes `operation=` beside them.

        It returns what the function returns, and raises NotDone or OutcomeUnknown, whose text is for a model to read.
        """

        def decorate(function: Callable[..., R]) -> Callable[..., R]:
            spec = ToolSpec.of(
                function,
                contract=given.terms(contract),
                identity=identity,
                name=name,
                query=query,
                status=status,
                fence=fence,
                idempotent=idempotent,
                provisional=provisional,
            )
            return self._guarded(self.add(spec), function)

        return decorate

    def wrap(
        self,
        http: HttpClient,
        *,
        contract: Contract | str | Mapping[str, Any],
        name: str = "http",
        query: Callable[..., Any] | None = None,
    ) -> HttpClient:
        """Make every unsafe request of an httpx or httpx2 client an operation; the client itself is changed.

        Equal requests (method, URL, body) of one run are one operation: `extensions={"operation": "line-2"}` tells
        them apart, `extensions={"run": "ticket-7"}` names the run. What comes back is what the bare client would give.
        query(method, url, digest): see `ToolSpec.of`.
        BadInput: it is no such client, or the contract's key does not travel in a header.
        """
        door: Wrapped = wrapped(http, name=name, contract=given.terms(contract), query=query)
        self.add(door.spec)
        door.connect(self._do, self._ado, lambda args, run, label: self._row(door.spec, args, run or self._run, label))
        return http

    def reconcile(self, run: str | None = None) -> list[Result]:
        """Go on with every open operation of one run, or of all: settle it by the same policy, or hand it over.

        Call it after a crash, and from time to time: also for what a call had no budget left to settle. Operations of
        tools that this client does not know, or that take other parameters now, are reported and left open.
        """
        return [
            undeclared(self._journal, row, why)
            if (why := unfit(self._tools.get(row.tool), row))
            else self._do(self._tools[row.tool], row)
            for row in self._open(run)
        ]

    async def areconcile(self, run: str | None = None) -> list[Result]:
        """The same for asynchronous callers."""
        return [
            undeclared(self._journal, row, why)
            if (why := unfit(self._tools.get(row.tool), row))
            else await self._ado(self._tools[row.tool], row)
            for row in self._open(run)
        ]

    def _open(self, run: str | None) -> list[OperationRow]:
        return self._journal.find("open", run and text("run", run, "ticket-4711"))

    def _spec(self, tool: "str | ToolSpec | Callable[..., Any]") -> ToolSpec:
        found = tool if isinstance(tool, ToolSpec) else getattr(tool, "spec", None)
        if found is None:
            found = self._tools.get(tool) if isinstance(tool, str) else None
        if not isinstance(found, ToolSpec):
            raise BadInput(f"unknown tool {tool!r}; declared: {', '.join(self._tools) or 'none'}")
        if found.name not in self._tools:
            self.add(found)
        return found

    def _new(self, spec: ToolSpec, arguments: Mapping[str, Any], operation: str) -> OperationRow:
        if own := [name for name in HANDLES if name in arguments]:
            raise BadInput(f"tool {spec.name}: {own[0]!r} is made by the client: leave it out")
        try:
            bound = spec.signature.bind(**arguments)
        except TypeError as error:
            raise BadInput(f"tool {spec.name}: {error}; it takes {', '.join(spec.parameters)}") from error
        bound.apply_defaults()
        return self._row(spec, bound.arguments, self._run, operation)

    def _row(self, spec: ToolSpec, args: Mapping[str, Any], run: str, operation: str) -> OperationRow:
        text("run", run, "ticket-4711")
        text("operation", operation, "line-2")
        try:
            row = self._desk.new(spec, args, run, operation)
        except (TypeError, ValueError, RecursionError) as error:
            wrong = next((name for name, value in args.items() if not _is_json(value)), "")
            raise BadInput(
                f"tool {spec.name}, argument {wrong!r}: {error}. What is sent again after a crash must be plain JSON: "
                "give text, numbers, lists and mappings"
            ) from error
        if not storable(row.identity):
            raise BadInput(
                f"tool {spec.name}: identity {row.identity!r} holds half a surrogate pair or a NUL; leave it out"
            )
        return row

    def _do(self, spec: ToolSpec, row: OperationRow) -> Result:
        if why := spec.needs_loop:
            raise BadInput(f"tool {spec.name} {why}: use acall or areconcile")
        with self._spans(spec, row) as told:
            return told(run(operate(self._desk, spec, row), spec, self._clock, self._hook))

    async def _ado(self, spec: ToolSpec, row: OperationRow) -> Result:
        threads = self._threads if self._journal.blocking else None
        with self._spans(spec, row) as told:
            return told(await arun(operate(self._desk, spec, row), spec, self._clock, self._hook, threads=threads))

    def _guarded(self, spec: ToolSpec, function: Callable[..., R]) -> Callable[..., R]:
        def row(args: tuple[Any, ...], operation: str, named: Mapping[str, Any]) -> OperationRow:
            try:
                bound = spec.signature.bind(*args, **named)
            except TypeError as error:
                raise BadInput(f"tool {spec.name}: {error}; it takes {', '.join(spec.parameters)}") from error
            bound.apply_defaults()
            return self._row(spec, bound.arguments, self._run, operation)

        if spec.asynchronous:

            @wraps(function)
            async def guarded(*args: Any, operation: str = "", **named: Any) -> Any:
                return unwrap(await self._ado(spec, row(args, operation, named)))
        else:

            @wraps(function)
            def guarded(*args: Any, operation: str = "", **named: Any) -> Any:
                return unwrap(self._do(spec, row(args, operation, named)))

        made: Any = guarded
        made.spec = spec
        made.__signature__ = spec.signature
        made.__annotations__ = {
            name: kind for name, kind in inspect.get_annotations(function).items() if name not in HANDLES
        }
        del made.__wrapped__  # or frameworks would read the parameters of the bare function
        return made  # type: ignore[no-any-return]  # it stands for the function


def _is_json(value: Any) -> bool:
    try:
        canonical(value)
    except (TypeError, ValueError, RecursionError):  # no JSON, a cycle, or nested too deeply
        return False
    return True


def _opened(journal: str | Journal, *, fsync: bool) -> Journal:
    if not isinstance(journal, str):
        return journal
    from faultlab.records.journal import open_journal

    return open_journal(journal, fsync=fsync)
