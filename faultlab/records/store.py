"""Runs and attempts in one SQLite file. Loading this module loads SQLModel: only who opens a store does.

Threads may share a Store; each process opens its own, after the fork, and all may append to one file.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, case, func, insert, null, select, update

from faultlab.core.clock import wall_time
from faultlab.records.memory import MemoryStore
from faultlab.records.migrations import migrate
from faultlab.records.port import RunNumber, RunStore, check_seed, no_attempt, no_run
from faultlab.records.rows import LAB_FIELDS, RECORD_FIELDS, AttemptRow, CellTally, RunRow, decode, encode
from faultlab.records.scrub import scrub, scrub_row
from faultlab.records.sqlite import BUSY_S, MEMORY, engine_of, explained, path_of, prepare, undo
from faultlab.records.tables import METADATA
from faultlab.records.write_ahead import write_ahead

PAGE = 1000
"""Rows read at a time, so that a reader never holds the file while its caller works."""

LARGEST = 2**63 - 1
"""SQLite knows no larger number: a run or an attempt of a larger one is not there."""

_RUNS, _RECORD, _LAB = (METADATA.tables[name] for name in ("runs", "attempts", "attempt_lab"))
_SPLIT = len(RECORD_FIELDS)
_ID = RECORD_FIELDS.index("attempt_id")


def _insert(table: str, fields: Sequence[str]) -> str:
    return f"INSERT INTO {table} ({', '.join(fields)}) VALUES ({', '.join('?' * len(fields))})"  # noqa: S608 - names from a literal table


_ADD_RECORD = _insert("attempts", RECORD_FIELDS)
_ADD_LAB = _insert("attempt_lab", LAB_FIELDS)

_BOTH = _LAB.join(_RECORD, _LAB.c.attempt_id == _RECORD.c.attempt_id)
_LIGHT_COLUMNS = [*(_RECORD.c[name] for name in RECORD_FIELDS), *(_LAB.c[name] for name in LAB_FIELDS[1:-1])]
_LIGHT = select(*_LIGHT_COLUMNS, null()).select_from(_BOTH)
_WHOLE = select(*_LIGHT_COLUMNS, _LAB.c.history).select_from(_BOTH)
_CELL = (_LAB.c.agent, _LAB.c.scenario, _LAB.c.contract, _LAB.c.twin, _LAB.c.run)


def _count(*verdicts: str) -> Any:
    return func.sum(case((_RECORD.c.verdict.in_(verdicts), 1), else_=0))


class Store(RunStore):
    """The store in a file."""

    def __init__(self, engine: Engine, where: str) -> None:
        self._engine = engine
        self._where = where

    @staticmethod
    def open(url: str | None = None) -> RunStore:
        """A path, `sqlite:///PATH` or `memory`; None: `.faultlab/lab.db` in the working folder.

        Makes the folder and the file where they are missing, and brings an older file up to date.
        StoreError: the place cannot hold a store, or holds something else.
        """
        if url == MEMORY:
            return MemoryStore()
        path = path_of(url)
        where = str(path)
        prepare(path)
        engine = engine_of(path)
        try:
            with explained(where), engine.connect() as connection:
                migrate(connection, where)
                write_ahead(connection.exec_driver_sql, BUSY_S)
        except BaseException:
            engine.dispose()
            raise
        return Store(engine, where)

    @property
    def where(self) -> str:
        return self._where

    def new_run(
        self,
        *,
        seed: int,
        argv: Sequence[str],
        version: str,
        agents: Sequence[str],
        scenarios: Sequence[str],
        protocol: Mapping[str, Any],
    ) -> int:
        check_seed(seed)
        values = {
            "started_at": wall_time(),
            "seed": seed,
            "argv": scrub(encode(list(argv))),
            "version": version,
            "agents": encode(list(agents)),
            "scenarios": encode(list(scenarios)),
            "protocol": scrub(encode(dict(protocol))),
            "finished": False,
        }
        with self._writing() as connection:
            return int(connection.execute(insert(_RUNS).values(values).returning(_RUNS.c.run)).scalar_one())

    def append(self, rows: Sequence[AttemptRow]) -> None:
        if not rows:
            return
        clean = [scrub_row(row) for row in rows]
        with self._writing() as connection:
            connection.exec_driver_sql(_ADD_RECORD, [row[:_SPLIT] for row in clean])
            connection.exec_driver_sql(_ADD_LAB, [(row[_ID], *row[_SPLIT:]) for row in clean])

    def run(self, run: RunNumber) -> RunRow:
        with self._reading() as connection:
            newest: int | None = connection.execute(select(func.max(_RUNS.c.run))).scalar_one()
            number = newest if run == "last" else min(run, LARGEST)
            found = connection.execute(select(_RUNS).where(_RUNS.c.run == number)).one_or_none()
        if found is None:
            raise no_run(run, self._where, newest)
        return RunRow(
            found.run,
            found.started_at,
            found.seed,
            tuple(decode(found.argv)),
            found.version,
            tuple(decode(found.agents)),
            tuple(decode(found.scenarios)),
            decode(found.protocol),
            found.finished,
        )

    def attempts(self, run: RunNumber) -> Iterator[AttemptRow]:
        number = self.run(run).run
        return self._pages(number)

    def _pages(self, run: int) -> Iterator[AttemptRow]:
        last = 0
        while True:
            query = _LIGHT.where(_LAB.c.run == run, _LAB.c.number > last).order_by(_LAB.c.number).limit(PAGE)
            with self._reading() as connection:
                page = connection.execute(query).all()
            if not page:
                return
            for found in page:
                yield AttemptRow._make(found)
            last = AttemptRow._make(page[-1]).number

    def attempt(self, run: RunNumber, number: int) -> AttemptRow:
        at = self.run(run).run
        with self._reading() as connection:
            found = connection.execute(
                _WHOLE.where(_LAB.c.run == at, _LAB.c.number == min(number, LARGEST))
            ).one_or_none()
            if found is None:
                newest = connection.execute(select(func.max(_LAB.c.number)).where(_LAB.c.run == at)).scalar_one()
                raise no_attempt(at, number, self._where, newest)
        return AttemptRow._make(found)

    def finish(self, run: int) -> None:
        self.run(run)
        with self._writing() as connection:
            connection.execute(update(_RUNS).where(_RUNS.c.run == run).values(finished=True))

    def latest_verdicts(self, agents: Collection[str] | None = None) -> list[CellTally]:
        query = (
            select(*_CELL, _count("pass"), _count("fail", "timeout"), _count("infra_error"))
            .select_from(_BOTH)
            .group_by(*_CELL)
            .order_by(_LAB.c.run)
        )
        if agents is not None:
            query = query.where(_LAB.c.agent.in_(agents))
        with self._reading() as connection:
            tallies = [CellTally._make(found) for found in connection.execute(query)]
        return list({tally[:4]: tally for tally in tallies}.values())

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with explained(self._where), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """One transaction that takes the write lock at once; whatever interrupts it leaves nothing behind."""
        with explained(self._where), self._engine.connect() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.exec_driver_sql("COMMIT")
            except BaseException:
                undo(connection)
                raise
