"""What the pytest plugin costs everybody who has faultlab installed: CPU time added to pytest's own start."""

import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence

ROUNDS = 20
TARGET_MS = 30.0


def start_ms(*arguments: str) -> float:
    """CPU time of `pytest --help` in an empty folder, in milliseconds."""
    command = [sys.executable, "-m", "pytest", "--help", *arguments]
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def plugin_ms() -> Mapping[str, object]:
    """The cheapest start with the plugin less the cheapest without, of interleaved pairs.

    A start takes some 400 ms and varies by more than the plugin costs: what others do on the machine only adds to it,
    so the cheapest of each kind are compared. `low` and `high`: the same of each half of the rounds.
    """
    start_ms(), start_ms("-p", "no:faultlab")
    pairs = [(start_ms(), start_ms("-p", "no:faultlab")) for _ in range(ROUNDS)]
    cost, halves = _added(pairs), sorted([_added(pairs[::2]), _added(pairs[1::2])])
    return {
        "ratio": round(cost, 1),
        "target": TARGET_MS,
        "holds": cost <= TARGET_MS,
        "baseline": "ms added to pytest --help",
        "low": round(halves[0], 1),
        "high": round(halves[1], 1),
    }


def _added(pairs: Sequence[tuple[float, float]]) -> float:
    return min(pair[0] for pair in pairs) - min(pair[1] for pair in pairs)
