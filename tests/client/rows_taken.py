"""Which rows of the policy table the shipped scenarios reach, and how often.

`python tests/client/rows_taken.py [SCENARIO ...]` runs `careful` and `on_tool_client` once in every cell of them, and
prints a line for each row; it ends with 1 where a row is reached by none.
"""

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import product
from unittest.mock import patch

from faultlab.agents.careful import careful
from faultlab.agents.correct.on_tool_client import on_tool_client
from faultlab.client.policy import TABLE, Policy, Row, choose
from faultlab.client.recovery import Recovery
from faultlab.matrix.attempt import Agent, Conditions, run_attempt
from faultlab.matrix.loader import load_all, shipped_folder
from faultlab.matrix.scenario import Scenario


def shipped(names: Iterable[str] = ()) -> list[Scenario]:
    """Those of these names; without names all."""
    wanted = set(names)
    found = load_all(path for path in sorted(shipped_folder().glob("*.yaml")) if path.stem != "expected")
    return [scenario for scenario in found if not wanted or scenario.id in wanted]


AGENTS = (careful, on_tool_client)
"""Both leave recovery to ToolClient; the second decides on versions by itself."""


class Taken:
    """How often each row was taken, and in how many cells."""

    def __init__(self) -> None:
        self.rows: Counter[str] = Counter()
        self.cells: Counter[str] = Counter()
        self._cell: set[str] = set()

    def _choose(self, table: Policy, recovery: Recovery) -> Row:
        row = choose(table, recovery)
        self.rows[row.name] += 1
        self._cell.add(row.name)
        return row

    def run(self, scenarios: Iterable[Scenario], agents: Iterable[Agent] = AGENTS, seed: int = 7) -> "Taken":
        """Every agent once in every cell."""
        with patch("faultlab.client.execute.choose", self._choose):
            for scenario, agent in product(scenarios, agents):
                for group in scenario.groups():
                    for twin in group.twins:
                        self._cell.clear()
                        run_attempt(agent, group, twin, 0, Conditions(seed))
                        self.cells.update(self._cell)
        return self


def main(names: Sequence[str]) -> int:
    taken = Taken().run(shipped(names))
    for row in TABLE:
        print(f"{row.name:22} {taken.rows[row.name]:6} times in {taken.cells[row.name]:5} cells")
    reached = sum(taken.rows[row.name] > 0 for row in TABLE)
    print(f"\n{reached} of {len(TABLE)} rows reached")
    return 0 if reached == len(TABLE) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
