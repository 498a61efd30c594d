"""Benchmarks: ratios against a named baseline, medians of interleaved rounds. Not run by CI.

    python tests/benchmarks/run.py [NAME ...] [--json] [--rounds N]

Each benchmark alternates its two sides round by round in one process and counts CPU time, so drift hits both alike.
"""

import argparse
import json
import statistics
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).parent))

SLACK = 1.10
"""Repeats differ by some 5 to 8 % even as ratios."""


@dataclass(frozen=True)
class Benchmark:
    """`subject` and `baseline` each do the same work once and may be called any number of times."""

    name: str
    baseline_name: str
    target: float
    make: Callable[[], tuple[Callable[[], object], Callable[[], object]]]
    repeat: int = 200
    """Calls of each side in a round."""
    at_least: bool = False
    """The target is a lower bound of baseline / subject: how many times faster."""


def measure(benchmark: Benchmark, rounds: int) -> Mapping[str, object]:
    """Median ratio of the rounds, after one round of warming up."""
    subject, baseline = benchmark.make()
    ratios = []
    for number in range(rounds + 1):
        sides = [(subject, 0), (baseline, 1)] if number % 2 else [(baseline, 1), (subject, 0)]
        spent = [0.0, 0.0]
        for call, place in sides:
            began = process_time()
            for _ in range(benchmark.repeat):
                call()
            spent[place] = process_time() - began
        if number:
            ratios.append(spent[1] / spent[0] if benchmark.at_least else spent[0] / spent[1])
    ratio = statistics.median(ratios)
    holds = ratio * SLACK >= benchmark.target if benchmark.at_least else ratio <= benchmark.target * SLACK
    return {
        "ratio": round(ratio, 3),
        "target": benchmark.target,
        "holds": holds,
        "baseline": benchmark.baseline_name,
        "low": round(min(ratios), 3),
        "high": round(max(ratios), 3),
    }


def main() -> int:
    """Run the chosen benchmarks and print a table, or JSON."""
    from catalog import BENCHMARKS, SINGLES

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    names = [*(item.name for item in BENCHMARKS), *SINGLES]
    parser.add_argument("name", nargs="*", metavar="NAME", help=", ".join(names))
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=11)
    options = parser.parse_args()
    if unknown := [name for name in options.name if name not in names]:
        parser.error(f"unknown benchmark {unknown[0]!r}; known: {', '.join(names)}")
    chosen = options.name or names
    results: dict[str, Mapping[str, object]] = {}
    for item in BENCHMARKS:
        if item.name in chosen:
            results[item.name] = measure(item, options.rounds)
            _tell(item.name, results[item.name], options.json)
    for name, single in SINGLES.items():
        if name in chosen:
            results[name] = single()
            _tell(name, results[name], options.json)
    if options.json:
        print(json.dumps(results, indent=2))
    return 0 if all(result["holds"] for result in results.values()) else 1


def _tell(name: str, result: Mapping[str, object], as_json: bool) -> None:
    if not as_json:
        sign = "holds" if result["holds"] else "MISSED"
        spread = f"{result['low']}..{result['high']}" if "low" in result else ""
        print(
            f"{name:22} {result['ratio']:>8}  target {result['target']:<6} {sign:7} {spread:16} vs {result['baseline']}"
        )


if __name__ == "__main__":
    raise SystemExit(main())
