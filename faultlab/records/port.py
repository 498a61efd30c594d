"""The one door to stored attempts; `store.py` keeps them in a file, `memory.py` for the life of a process."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Literal, Protocol

from faultlab.core.errors import BadInput
from faultlab.records.rows import AttemptRow, CellTally, RunRow

RunNumber = int | Literal["last"]

SEED_LIMIT = 2**63
"""A seed is a 64-bit column."""


class RunStore(Protocol):
    """Runs and their attempts. Attempts are only ever added."""

    @property
    def where(self) -> str:
        """The place, as the user may be told it."""
        ...

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
        """Open a run and give its number: 1, 2, 3 ..."""
        ...

    def append(self, rows: Sequence[AttemptRow]) -> None:
        """Add all rows or none, without secrets. HarnessFault: a row that the schema refuses."""
        ...

    def run(self, run: RunNumber) -> RunRow:
        """BadInput: there is no such run."""
        ...

    def attempts(self, run: RunNumber) -> Iterator[AttemptRow]:
        """The attempts of a run in order of their numbers, without their histories."""
        ...

    def attempt(self, run: RunNumber, number: int) -> AttemptRow:
        """One attempt with its history. BadInput: there is no such run or attempt."""
        ...

    def finish(self, run: int) -> None:
        """Note that the run came to its end."""
        ...

    def latest_verdicts(self, agents: Collection[str] | None = None) -> list[CellTally]:
        """Each cell as its latest run left it, for all agents or those named."""
        ...

    def close(self) -> None: ...


def check_seed(seed: int) -> None:
    """BadInput: the seed does not fit its column."""
    if not -SEED_LIMIT <= seed < SEED_LIMIT:
        raise BadInput(f"seed {seed} is too large: a seed is a whole number from -2^63 to 2^63 - 1")


def no_run(run: RunNumber, where: str, last: int | None) -> BadInput:
    """The error for a run that is not there, with those that are."""
    if last is None:
        return BadInput(f"{where} holds no run yet: `faultlab run` makes one")
    return BadInput(f"no run {run} in {where}: its runs are numbered up to {last}; `last` is {last}")


def no_attempt(run: int, number: int, where: str, last: int | None) -> BadInput:
    """The error for an attempt that is not there, with those that are."""
    held = "it holds no attempt yet" if last is None else f"its attempts are numbered up to {last}"
    return BadInput(f"no attempt {run}:{number} in {where}: run {run} exists, and {held}")
