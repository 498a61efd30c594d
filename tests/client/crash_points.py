"""Kill the caller at every step between two durable writes, over every scene, contract and end of its request.

`python tests/client/crash_points.py [SCENE ...] [--contract ID]` prints how many points there are, and ends with 1
where one of them left more effects than were meant, or a word that is not true. Here a life ends by an exception that
nothing catches; `kill_points.py` ends real processes by SIGKILL.
"""

import logging
import os
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from unittest.mock import patch

import httpx

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from client.crash_scenes import SCENES, Scene, spec_of, work
from labs import drain, lab

from faultlab.client.client import ToolClient
from faultlab.client.result import Result
from faultlab.core.agent import Budget, Crash
from faultlab.core.canonical import digest
from faultlab.core.clock import NS
from faultlab.core.contract import Contract
from faultlab.core.profiles import PROFILES
from faultlab.core.records import Effect, Outcome
from faultlab.core.world import FrozenWorld
from faultlab.faults.plan import Planned
from faultlab.records.journal import open_journal
from faultlab.records.journal_rows import Journal
from faultlab.transports.http_library import BASE_URL
from faultlab.transports.httpx_transport import LabTransport

LEASE_S = 60.0
LIVES = 2
BUDGET = Budget(10, 100, 16)
CONDITIONAL = ("precondition", "none", "status", "strict")
"""The contracts of a scene that writes by version; the others have all but `precondition`."""
SURE = ("status", "fence", "settle", "strict")
"""Under these no single lost receipt stays unknown, while the server is up to be asked."""
EPOCH_S = 1_800_000_000.0
"""When each trial began: its lives share one clock."""
KEYED_ONLY = ("crash after_key_record",)


class End(NamedTuple):
    """What becomes of the first request."""

    name: str
    fault: dict[str, Any] | None


ENDS = (
    End("answered", None),
    End("connect", {"phase": "connect"}),
    End("before", {"phase": "before"}),
    End("after", {"phase": "after"}),
    End("late_network", {"phase": "late_network", "late_ns": 20 * NS}),
    End("late_server", {"phase": "late_server", "late_ns": 20 * NS}),
    End("crash before_key_record", {"name": "server_crash", "given": {"step": "before_key_record", "down_s": 5.0}}),
    End("crash after_key_record", {"name": "server_crash", "given": {"step": "after_key_record", "down_s": 5.0}}),
    End("crash after_record", {"name": "server_crash", "given": {"step": "after_record", "down_s": 5.0}}),
)
"""Answered, lost on one of its ways, or the server died over it at one of its own steps."""


class Cell(NamedTuple):
    scene: str
    contract: str
    end: End

    def __str__(self) -> str:
        return f"{self.scene}, {self.contract}, {self.end.name}"


class Mortal:
    """A hook that lets a process live for `steps` steps."""

    def __init__(self, steps: int | None) -> None:
        self.steps = steps
        self.seen: list[str] = []

    def __call__(self, step: str) -> None:
        self.seen.append(step)
        if self.steps is not None and len(self.seen) > self.steps:
            raise Crash


class Trial:
    """One server and one journal, and the lives of the processes between them.

    Each life opened the journal for itself: nothing but its file tells one of the other. (Journals are opened once for
    a whole cell, and each trial is a run of its own, because there are many.)
    """

    def __init__(self, cell: Cell, run: str, journals: Iterable[Journal]) -> None:
        self.scene: Scene = SCENES[cell.scene]
        self.contract: Contract = PROFILES[cell.contract]
        plan = () if cell.end.fault is None else (Planned(self.scene.tool, **cell.end.fault),)
        world = FrozenWorld(self.scene.world)
        self.session = lab(self.contract, *plan, toolset=self.scene.toolset, world=world)
        self.sure = cell.contract in SURE and not cell.end.name.startswith("crash")
        self.run = run
        self.journals = iter(journals)
        self.told: list[Result] = []

    def now_ns(self) -> int:
        return round(EPOCH_S * NS) + self.session.clock.now()

    def live(self, steps: int | None = None) -> list[str]:
        """One process: which steps it took."""
        with patch("faultlab.client.work.unix_ns", self.now_ns):
            return self._live(steps)

    def _live(self, steps: int | None) -> list[str]:
        hook = Mortal(steps)
        http = httpx.Client(transport=LabTransport(self.session), base_url=BASE_URL)
        clock = self.session.clock
        client = ToolClient(next(self.journals), run=self.run, budget=BUDGET, clock=clock, lease_s=LEASE_S, hook=hook)
        client.add(spec_of(self.scene, self.contract, http))
        try:
            results = work(self.scene, client, self.run)
        except Crash:
            return hook.seen
        self.told += results
        for result in results:
            self.check(result)
        return hook.seen

    @property
    def effects(self) -> list[Effect]:
        return [effect for effect in self.session.engine.ledger if effect.tool == self.scene.tool]

    def of(self, result: Result) -> list[Effect]:
        """The effects of the operation, by its own handles."""
        handles = {handle for item in result.evidence for handle in (item.key, item.reference)} - {None}
        return [effect for effect in self.effects if {effect.key, effect.reference} & handles]

    def check(self, result: Result) -> None:
        """What a process is told is true at the moment it is told."""
        made = self.of(result)
        if result.status == "done":
            assert result.outcome is Outcome.APPLIED
            assert made
        elif result.outcome is Outcome.NOT_APPLIED:
            assert not made
        else:
            record = result.hand_over
            assert (result.status, result.outcome) == ("handed_over", Outcome.UNKNOWN)
            assert record is not None
            assert record.operation == result.operation
            assert record.handle in {handle for item in result.evidence for handle in (item.key, item.reference)}
            assert record.digest in map(digest, self.scene.intended.values())
            assert record.first_sent_ns > 0
            assert record.last_receipt
            asked = [item.n for item in result.evidence if item.tool != self.scene.tool]
            assert list(record.reads) == asked

    def end(self) -> None:
        """Nothing lands any more: the truth that was told still is, and no operation has an effect too many."""
        drain(self.session)
        for result in self.told:
            self.check(result)
            if not self.scene.idempotent:
                assert len(self.of(result)) <= 1
        if not self.scene.idempotent:
            assert len(self.effects) <= len(self.scene.intended)
        if self.sure:
            assert {result.status for result in self.told} == {"done"}


def cells(names: Iterable[str] = tuple(SCENES)) -> Iterator[Cell]:
    """Every scene under every contract that fits it, with every end that its contract leaves whole."""
    for scene in names:
        for contract in CONDITIONAL if SCENES[scene].conditional else PROFILES:
            if contract == "precondition" and not SCENES[scene].conditional:
                continue
            for end in ENDS:
                if end.name not in KEYED_ONLY or PROFILES[contract].key is not None:
                    yield Cell(scene, contract, end)


def prove(cell: Cell, folder: Path) -> Counter[str]:
    """Kill a process at its first step, at its second, and so on until one lives, and let the next one finish.

    The steps at which one died, counted. Raises AssertionError, naming the point.
    """
    points: Counter[str] = Counter()
    with ExitStack() as opened:
        journals = [open_journal(str(folder / "journal.db"), fsync=False) for _ in range(LIVES)]
        for journal in journals:
            opened.callback(journal.close)
        for number in count():
            trial = Trial(cell, str(number), journals)
            try:
                steps = trial.live(number)
                died = len(steps) > number
                if died:
                    trial.session.clock.sleep(LEASE_S + 1)
                    trial.live()
                trial.end()
            except AssertionError as error:
                error.add_note(f"killed at step {number} of {cell}: {steps}")
                raise
            if not died:
                return points
            points[steps[-1]] += 1
    raise AssertionError


def memory() -> str | None:
    """A folder in memory where there is one: what is lost is a process, not the power, and there are many."""
    shared = "/dev/shm"
    return shared if os.access(shared, os.W_OK) else None


def main(arguments: Sequence[str] | None = None) -> int:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("scenes", nargs="*", metavar="SCENE", help=f"one of: {', '.join(SCENES)} [all]")
    parser.add_argument("--contract", action="append", choices=list(PROFILES), help="only these")
    given = parser.parse_args(arguments)
    logging.disable()
    points: Counter[tuple[str, str]] = Counter()
    steps: Counter[str] = Counter()
    wrong = 0
    for cell in cells(given.scenes or tuple(SCENES)):
        if given.contract and cell.contract not in given.contract:
            continue
        with TemporaryDirectory(dir=memory()) as folder:
            try:
                seen = prove(cell, Path(folder))
            except AssertionError as error:
                wrong += 1
                print("WRONG", *error.__notes__, sep="\n  ")
                continue
        steps += seen
        points[cell.scene, cell.contract] += seen.total()
    for (scene, contract), points_of_it in points.items():
        print(f"{scene:18} {contract:14} {points_of_it:6}")
    print()
    for step, times in steps.most_common():
        print(f"{step:33} {times:6}")
    print(f"\n{steps.total()} crash points, {wrong} cells wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
