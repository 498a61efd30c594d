"""Runs the subjects through faultlab's own runner and rules, and counts what its store then holds."""

import logging
import tempfile
from collections.abc import Mapping
from json import loads
from pathlib import Path
from typing import NamedTuple

from sidebyside.catalog import SCENARIOS, SUBJECTS

from faultlab import app
from faultlab.core.result import GroupResult
from faultlab.matrix.scenario import CLEAN, Group
from faultlab.records.rows import AttemptRow

SEED = 1
IN_MEMORY = Path("/dev/shm")
"""Where the stores keep their files, if there is such a place: thousands wait for a disk, and no power is cut here."""


class Silent:
    """Told how the run goes on, and says nothing."""

    def planned(self, plan: app.RunPlan) -> None: ...

    def advanced(self, result: object) -> None: ...

    def estimated(self, remaining_s: float, cost: float) -> None: ...

    def told(self, line: str) -> None:
        raise AssertionError(line)  # nothing here needs the real clock


class Measured(NamedTuple):
    """What the run found."""

    groups: Mapping[str, list[GroupResult]]
    """By agent."""
    rows: Mapping[str, list[AttemptRow]]
    wanted: Mapping[tuple[str, str], int]
    """Scenario and operation -> how often it is wanted."""
    order: list[tuple[str, str, tuple[str, ...]]]
    """Scenario, contract and twins of each group."""


def measure() -> Measured:
    """One attempt of each cell. Some of the libraries, and the lab's own client, log what they do: not here."""
    before = tempfile.tempdir
    logging.disable()
    if IN_MEMORY.is_dir():
        tempfile.tempdir = str(IN_MEMORY)
    try:
        return _measured()
    finally:
        tempfile.tempdir = before
        logging.disable(logging.NOTSET)


def _measured() -> Measured:
    with tempfile.TemporaryDirectory() as folder:
        store = str(Path(folder) / "lab.db")
        agents = tuple(subject.agent for subject in SUBJECTS)
        request = app.RunRequest(agents=agents, scenarios=SCENARIOS, attempts=1, seed=SEED, store=store)
        report = app.run(request, Silent())
        opened = app.open_store(store)
        rows = list(opened.attempts("last"))
        opened.close()
    groups = app.groups_for(request)
    wanted = {
        (group.scenario.id, f"{item.tool}({item.identity})"): item.exactly
        for group in groups
        for item in group.brief(CLEAN).expectation.effects
    }
    return Measured(
        {agent: [group for group in report.groups if group.agent == agent] for agent in agents},
        {agent: [row for row in rows if row.agent == agent] for agent in agents},
        wanted,
        [(group.scenario.id, group.contract.name, twins_of(group)) for group in groups],
    )


def twins_of(group: Group) -> tuple[str, ...]:
    """In the order of the file, without the clean run, which every group has; one that has no other is its own."""
    return tuple(twin for twin in group.twins if twin != CLEAN) or (CLEAN,)


class Counts(NamedTuple):
    """A row of the table; all but the first two count attempts, effects or calls."""

    passed: int
    groups: int
    duplicates: int
    """Effects beyond those that were wanted."""
    missing: int
    """Wanted effects that were not there at the end and that nobody was handed."""
    untrue: int
    """Attempts whose claim the ledger contradicts."""
    early: int
    """Attempts that claimed done or not done while it was not known, and were right."""
    handed_over: int
    queries: int
    """Reads about an operation that was sent again after them."""
    over_budget: int


UNTRUE = frozenset({"FL102", "FL501", "FL502"})
OVER = frozenset({"FL401", "FL402", "FL403"})


def counted(found: Measured, agent: str) -> Counts:
    """What became of one subject's attempts."""
    groups, rows = found.groups[agent], found.rows[agent]
    duplicates = missing = untrue = early = handed_over = over = 0
    for row in rows:
        codes, claimed = set(loads(row.failed_checks)), loads(row.outcome_claimed)
        untrue += bool(codes & UNTRUE)
        early += "FL205" in codes and not codes & UNTRUE
        over += row.verdict == "timeout" or bool(codes & OVER)
        handed_over += claimed.get("") == "handed_over"
        for operation, effects in loads(row.outcome_truth).items():
            wanted = found.wanted[row.scenario, operation]
            said = [status for name, status in claimed.items() if name.split("#")[0] == operation]
            duplicates += max(0, effects - wanted)
            missing += max(0, wanted - effects - said.count("handed_over"))
    passed = sum(group.verdict == "PASS" for group in groups)
    queries = sum(row.queries_before_resend for row in rows)
    return Counts(passed, len(groups), duplicates, missing, untrue, early, handed_over, queries, over)
