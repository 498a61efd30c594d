"""Makes the attempts of a run: serially or in worker processes, each batch stored as it is finished."""

from collections.abc import Callable, Container, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from typing import NamedTuple, Protocol

from faultlab.core.clock import stopwatch, wall_time
from faultlab.core.errors import BadInput
from faultlab.core.history import History
from faultlab.core.result import Result
from faultlab.core.seed import derive, generator
from faultlab.core.verdict import Verdict
from faultlab.matrix.accepted import accepted
from faultlab.matrix.attempt import Conditions, run_attempt
from faultlab.matrix.life import Agent
from faultlab.matrix.row import Job, Made, Place, result_of, row_of
from faultlab.matrix.scenario import Group
from faultlab.matrix.workers import ended_with_parent, killed_if_interrupted, never_interrupted, uninterrupted
from faultlab.records.port import RunStore
from faultlab.records.rows import AttemptRow

BATCH = 100
"""Rows written in one transaction, and at most so many jobs in one chunk of a worker."""

TOGETHER = 20
"""So many attempts are judged one after the other."""

SOON_S = 0.1
"""Results of slow agents wait no longer than this to be told."""

FLUSH_S = 1.0
"""Finished attempts of slow agents wait no longer than this to be stored."""


class Judge(Protocol):
    """A history in, a verdict out; findings of the codes that are accepted are notes."""

    def __call__(self, history: History, accepted: Container[str] = ()) -> Verdict: ...


@dataclass(frozen=True, slots=True)
class Bench:
    """All that is needed to make attempts in this process."""

    run: int
    agents: Mapping[str, Agent]
    groups: Sequence[Group]
    conditions: Conditions
    judge: Judge
    store: RunStore
    version: str
    today: str
    """ISO date: until when accepted findings are accepted."""


def jobs_of(agents: Sequence[str], groups: Sequence[Group], attempts: int, seed: int) -> list[Job]:
    """Every attempt of a run, numbered in the order in which they are made: clean ones first, each part shuffled."""
    cells = [
        (agent, number, twin, index)
        for agent in agents
        for number, group in enumerate(groups)
        for twin in group.twins
        for index in range(1, attempts + 1)
    ]
    shuffle = generator(seed, "order").shuffle
    clean = [cell for cell in cells if cell[2] == groups[cell[1]].twins[0]]
    rest = [cell for cell in cells if cell[2] != groups[cell[1]].twins[0]]
    shuffle(clean)
    shuffle(rest)
    return [Job(number, *cell) for number, cell in enumerate([*clean, *rest], 1)]


class Tried(NamedTuple):
    """One attempt that was made and not yet judged."""

    job: Job
    history: History
    why_real: str | None
    """Why it needed the real clock; None: it did not."""
    started_at: float
    ended_at: float


def tried(bench: Bench, job: Job) -> Tried:
    """One attempt."""
    started_at = wall_time()
    agent, group = bench.agents[job.agent], bench.groups[job.group]
    history, why_real = run_attempt(agent, group, job.twin, job.attempt, bench.conditions)
    return Tried(job, history, why_real, started_at, wall_time())


def judgement(bench: Bench, one: Tried) -> tuple[Verdict, Result]:
    """What the rules say of it, given what its scenario accepts; and its light record."""
    group = bench.groups[one.job.group]
    verdict = judged(bench.judge, one.history, accepted(group.scenario.ignore, bench.today))
    return verdict, result_of(one.job, Place.of(group), one.history, verdict)


def finished(bench: Bench, several: Sequence[Tried]) -> list[tuple[Result, AttemptRow, str | None]]:
    """Judge them all, then write them all down: one kind of work at a time is a seventh faster than one attempt at a
    time, for the processor's caches hold only so much code."""
    judgements = [judgement(bench, one) for one in several]
    return [
        (result, _row(bench, one, verdict, result), one.why_real)
        for one, (verdict, result) in zip(several, judgements, strict=True)
    ]


def make(bench: Bench, job: Job) -> tuple[Result, AttemptRow, str | None]:
    """One attempt, judged: its light record, its row, and why it needed the real clock."""
    (one,) = finished(bench, [tried(bench, job)])
    return one


def _row(bench: Bench, one: Tried, verdict: Verdict, result: Result) -> AttemptRow:
    job, history, _, started_at, ended_at = one
    group = bench.groups[job.group]
    seed = derive(bench.conditions.seed, group.scenario.id, group.contract.name, job.attempt)
    return row_of(Made(bench.run, job, group, history, verdict, result, seed, started_at, ended_at, bench.version))


def judged(judge: Judge, history: History, accepted: Container[str] = ()) -> Verdict:
    """A toolset that failed by itself says nothing about the agent."""
    if history.end == "toolset_failed":
        return Verdict("infra_error", "inconclusive", (), f"toolset_failed: {history.error}")
    return judge(history, accepted)


def serially(
    bench: Bench, jobs: Iterable[Job], together: int = TOGETHER
) -> Generator[tuple[Result, str | None], None, None]:
    """Make the attempts here, and judge so many `together`: 1 for whoever may stop at a result before the next attempt
    is made. Whatever ends the loop, finished attempts are stored."""
    made: list[Tried] = []
    rows: list[AttemptRow] = []
    judged_s = written_s = stopwatch()
    waiting = iter(jobs)
    try:
        while (job := next(waiting, None)) is not None or made:
            if job is not None:
                made.append(tried(bench, job))
                if len(made) < together and stopwatch() - judged_s < SOON_S:
                    continue
            done = finished(bench, made)
            rows, made = [*rows, *(row for _, row, _ in done)], []
            judged_s = stopwatch()
            if len(rows) >= BATCH or judged_s - written_s > FLUSH_S:
                bench.store.append(rows)
                rows, written_s = [], judged_s
            for result, _, why_real in done:
                yield result, why_real
    finally:
        bench.store.append([*rows, *_rest(bench, made)])


def _rest(bench: Bench, made: Iterable[Tried]) -> Iterator[AttemptRow]:
    """The rows of attempts that wait, one at a time: one that breaks the judging takes no other with it."""
    for one in made:
        with suppress(Exception):
            yield finished(bench, [one])[0][1]


def unrecorded(bench: Bench, jobs: Iterable[Job]) -> Generator[tuple[Result, str | None], None, None]:
    """Make the attempts here, and store nothing."""
    for job in jobs:
        one = tried(bench, job)
        yield judgement(bench, one)[1], one.why_real


Prepare = Callable[[], Bench]

Perform = Callable[[Bench, Sequence[Job]], Iterable[tuple[Result, str | None]]]

_bench: Bench | None = None


def _open(prepare: Prepare) -> None:
    """A worker's start: its own store, agents and scenarios. Ctrl-C is for the parent to handle; it ends with that."""
    global _bench
    never_interrupted()
    ended_with_parent()
    _bench = prepare()


def _chunk(perform: Perform, jobs: Sequence[Job]) -> list[tuple[Result, str | None]]:
    assert _bench is not None
    return list(perform(_bench, jobs))


def in_processes(
    prepare: Prepare, jobs: Sequence[Job], workers: int, perform: Perform = serially
) -> Generator[tuple[Result, str | None], None, None]:
    """Make the attempts in worker processes, each of which stores its own batches, if `perform` stores any.

    On Ctrl-C, chunks that have begun are finished and stored; a second one ends them at once. Raises BadInput when a
    worker is killed by what an agent does (a signal, a crash in C code).
    """
    size = max(1, min(BATCH, len(jobs) // (workers * 8)))
    chunks = [jobs[start : start + size] for start in range(0, len(jobs), size)]
    pool = ProcessPoolExecutor(max(1, min(workers, len(chunks))), get_context("spawn"), _open, (prepare,))
    waiting: set[Future[list[tuple[Result, str | None]]]] = set()
    try:
        with uninterrupted():
            waiting.update([pool.submit(_chunk, perform, chunk) for chunk in chunks])
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                yield from future.result()
    except BrokenProcessPool:
        agents = ", ".join(sorted({job.agent for job in jobs}))
        raise BadInput(
            f"a worker process died while it ran {agents}: an agent must not end its process, "
            "nor may C code that it calls. Finished attempts are kept; run each agent alone to see which one it was"
        ) from None
    finally:
        for future in waiting:
            future.cancel()
        with killed_if_interrupted():
            pool.shutdown(wait=True)
