"""Attempts read back from a store: judged again by today's rules, and made again from their seed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from faultlab.core.errors import BadInput
from faultlab.core.history import History
from faultlab.core.result import Result
from faultlab.core.trace import dump, load
from faultlab.core.verdict import Verdict
from faultlab.matrix.attempt import Conditions, run_attempt
from faultlab.matrix.life import Agent
from faultlab.matrix.row import Job, Place, digest_of, result_of
from faultlab.matrix.run import Judge, judged
from faultlab.matrix.scenario import CLEAN, Scenario
from faultlab.records.port import RunStore
from faultlab.records.rows import AttemptRow, RunRow, decode

LONGEST_NUMBER = 100
"""Digits."""


@dataclass(frozen=True, slots=True)
class StoredAttempt:
    """An attempt read back."""

    row: AttemptRow
    result: Result
    history: History
    verdict: Verdict
    seed: int
    """Of the run."""
    accepted: tuple[str, ...]
    """The codes that its scenario accepted when it was made."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A stored attempt, judged and made again."""

    stored: StoredAttempt
    codes_then: tuple[str, ...]
    history: History
    verdict: Verdict
    same_bytes: bool
    """The new history is the old one, byte for byte."""

    @property
    def same_verdict(self) -> bool:
        return self.codes_then == tuple(sorted(self.verdict.codes))


def is_number(text: str) -> bool:
    """A whole number in the digits 0 to 9, and not too long for Python to read."""
    return text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER


def parse_address(address: str) -> tuple[int | Literal["last"], int]:
    """`last:12` or `3:12`. Raises BadInput for anything else."""
    run, colon, number = address.partition(":")
    if colon and is_number(number) and (run == "last" or is_number(run)):
        return ("last" if run == "last" else int(run)), int(number)
    raise BadInput(f"{address!r} is not the address of an attempt; write RUN:N or last:N, for example last:12")


def read(store: RunStore, run: int | Literal["last"], number: int, judge: Judge) -> StoredAttempt:
    """One attempt with its history. Raises BadInput where there is none."""
    row = store.attempt(run, number)
    record = store.run(row.run)
    history = load(row.history or "")
    accepted = tuple(record.protocol.get("accepted", {}).get(row.scenario, ()))
    verdict = judged(judge, history, accepted)
    place = Place(record.protocol["suites"].get(row.scenario, "boundary"), row.scenario, row.contract)
    job = Job(row.number, row.agent, 0, row.twin or CLEAN, row.attempt_index)
    return StoredAttempt(row, result_of(job, place, history, verdict), history, verdict, record.seed, accepted)


def again(attempt: StoredAttempt, agent: Agent, scenarios: Sequence[Scenario], record: RunRow, judge: Judge) -> Replay:
    """Make the attempt again from its seed. Raises BadInput if its scenario or contract is gone."""
    row = attempt.row
    groups = [
        group
        for scenario in scenarios
        for group in scenario.groups()
        if scenario.id == row.scenario and group.contract.name == row.contract
    ]
    if not groups or (row.twin or CLEAN) not in groups[0].twins:
        raise BadInput(f"attempt {row.run}:{row.number} is of {row.scenario}/{row.contract}/{row.twin}, which is gone")
    conditions = Conditions(record.seed, record.protocol["clock"])
    history, _ = run_attempt(agent, groups[0], row.twin or CLEAN, row.attempt_index, conditions)
    same = digest_of(dump(history)) == row.trace_ref
    return Replay(attempt, tuple(decode(row.failed_checks)), history, judged(judge, history, attempt.accepted), same)
