"""The twins of one test, told together: what passed in one and failed in another passed by luck."""

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

BAD = ("failed", "error")
CLEAN = "clean"
"""The run in which nothing goes wrong: a caller can tell it from the twins."""


class Item(NamedTuple):
    """One test item of pytest, as its reports tell of it."""

    node: str
    """Its id as seen from the folder in which pytest was started."""
    twin: str
    twins: tuple[str, ...]
    """All twins of the test, run or not."""
    seed: str
    outcome: str
    """passed, failed, error (of a fixture) or skipped."""


def group_of(node: str, twin: str) -> str:
    """The test without its twin: `test_refund[EUR-committed]` -> `test_refund[EUR]`."""
    test, bracket, rest = node.partition("[")
    inner = rest.removesuffix("]")
    if inner == twin:
        return test
    shorter = inner.removesuffix(f"-{twin}")
    if shorter == inner:  # another plugin's parameter stands behind ours
        shorter = "-".join(part for part in inner.replace(twin, "", 1).split("-") if part)
    return f"{test}{bracket}{shorter}]" if shorter else test


def groups(items: Iterable[Item]) -> Mapping[str, Mapping[str, Item]]:
    """Test -> twin -> item; a fixture's error counts more than the test's own result."""
    found: dict[str, dict[str, Item]] = {}
    for item in items:
        twins = found.setdefault(group_of(item.node, item.twin), {})
        if item.twin not in twins or item.outcome in BAD:
            twins[item.twin] = item
    return found


def together_lines(items: Iterable[Item]) -> Iterator[str]:
    """For each test with a twin that failed: how many passed, which, and the command that runs them all."""
    for test, twins in groups(items).items():
        names = next(iter(twins.values())).twins
        told = sorted(twins.values(), key=lambda item: names.index(item.twin))
        bad = [item.twin for item in told if item.outcome in BAD]
        if not bad:
            continue
        good = [item.twin for item in told if item.outcome == "passed"]
        missing = [twin for twin in names if twin not in twins or twins[twin].outcome == "skipped"]
        yield f"group {test}: {len(good)} of {len(names)} twins pass -> FAIL"
        yield f"  failed: {', '.join(bad)}"
        if lucky := [twin for twin in good if twin != CLEAN]:
            yield f"  passed: {', '.join(lucky)}, by luck: the caller cannot tell these from those that failed"
        if missing:
            yield f"  not run: {', '.join(missing)}"
        yield f"  all of them again: {command(test.partition('[')[0], told[0].seed)}"


def command(node: str, seed: int | str) -> str:
    """What runs a test, or all its twins, again: as a shell takes it."""
    return f"pytest {shlex.quote(node)} --faultlab-seed {seed}"


def from_here(node: str, root: Path, here: Path) -> str:
    """A node id as pytest takes it in the folder `here`; its own ids start at the root folder."""
    path, colons, test = node.partition("::")
    try:
        path = os.path.relpath(root / path, here)
    except ValueError:  # on another drive of Windows
        path = str(root / path)
    return f"{path}{colons}{test}"
