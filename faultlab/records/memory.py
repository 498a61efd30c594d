"""The store for as long as the process lives, with the same refusals as the one in a file."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from faultlab.core.clock import wall_time
from faultlab.core.errors import HarnessFault
from faultlab.records.port import RunNumber, RunStore, check_seed, no_attempt, no_run
from faultlab.records.rows import UNKNOWN, VERDICTS, AttemptRow, CellTally, RunRow, decode, encode
from faultlab.records.scrub import scrub, scrub_row


class MemoryStore(RunStore):
    """Nothing is written anywhere."""

    def __init__(self) -> None:
        self._runs: dict[int, RunRow] = {}
        self._attempts: dict[int, dict[int, AttemptRow]] = {}
        self._ids: set[str] = set()

    @property
    def where(self) -> str:
        return "memory"

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
        number = len(self._runs) + 1
        clean_argv = tuple(decode(scrub(encode(list(argv)))))
        clean_protocol = decode(scrub(encode(dict(protocol))))
        self._runs[number] = RunRow(
            number,
            wall_time(),
            seed,
            clean_argv,
            version,
            tuple(agents),
            tuple(scenarios),
            clean_protocol,
            False,
        )
        self._attempts[number] = {}
        return number

    def append(self, rows: Sequence[AttemptRow]) -> None:
        added: dict[str, AttemptRow] = {}
        places: set[tuple[int, int]] = set()
        for row in map(scrub_row, rows):
            problem = "its number is taken" if (row.run, row.number) in places else self._problem(row, added)
            if problem:
                raise HarnessFault(f"memory refused a row: {problem}. Nothing of its batch was stored")
            added[row.attempt_id] = row
            places.add((row.run, row.number))
        for row in added.values():
            self._attempts[row.run][row.number] = row
        self._ids.update(added)

    def _problem(self, row: AttemptRow, added: Mapping[str, AttemptRow]) -> str | None:
        if row.run not in self._runs:
            return f"there is no run {row.run}"
        if row.attempt_id in self._ids or row.attempt_id in added:
            return f"attempt_id {row.attempt_id} is taken"
        if row.number < 1 or row.number in self._attempts[row.run]:
            return f"number {row.number} of run {row.run} is taken or below 1"
        if row.rerun_of is not None and row.rerun_of not in self._ids and row.rerun_of not in added:
            return f"rerun_of {row.rerun_of} names no attempt"
        if row.verdict not in VERDICTS:
            return f"verdict {row.verdict} is none of {', '.join(VERDICTS)}"
        if (row.cost is None) != (row.currency == UNKNOWN):
            return f"cost {row.cost} with currency {row.currency}: only an unknown cost has currency `unknown`"
        return "history is missing" if row.history is None else None

    def run(self, run: RunNumber) -> RunRow:
        number = len(self._runs) if run == "last" else run
        found = self._runs.get(number)
        if found is None:
            raise no_run(run, self.where, len(self._runs) or None)
        return found

    def attempts(self, run: RunNumber) -> Iterator[AttemptRow]:
        held = self._attempts[self.run(run).run]
        return (held[number]._replace(history=None) for number in sorted(held))

    def attempt(self, run: RunNumber, number: int) -> AttemptRow:
        at = self.run(run).run
        held = self._attempts[at]
        if number not in held:
            raise no_attempt(at, number, self.where, max(held, default=None))
        return held[number]

    def finish(self, run: int) -> None:
        self._runs[run] = self.run(run)._replace(finished=True)

    def latest_verdicts(self, agents: Collection[str] | None = None) -> list[CellTally]:
        latest: dict[tuple[str, str, str, str | None], CellTally] = {}
        for run, held in self._attempts.items():
            for row in held.values():
                if agents is not None and row.agent not in agents:
                    continue
                cell = (row.agent, row.scenario, row.contract, row.twin)
                before = latest.get(cell)
                if before is None or before.run != run:
                    before = CellTally(*cell, run, 0, 0, 0)
                latest[cell] = before._replace(
                    passed=before.passed + (row.verdict == "pass"),
                    failed=before.failed + (row.verdict in ("fail", "timeout")),
                    broken=before.broken + (row.verdict == "infra_error"),
                )
        return list(latest.values())

    def close(self) -> None:
        """Nothing to let go of: what was stored ends with the process."""
