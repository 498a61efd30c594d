"""One twin of a scenario's group, for a test that brings an agent."""

from collections.abc import Callable
from typing import Any

from faultlab.api.failure import failure_text
from faultlab.core.clock import today
from faultlab.core.errors import BadInput
from faultlab.core.history import History
from faultlab.core.records import Claim, Effect
from faultlab.core.verdict import Verdict
from faultlab.matrix.accepted import accepted
from faultlab.matrix.attempt import Conditions, run_attempt
from faultlab.matrix.run import judged
from faultlab.matrix.scenario import Group
from faultlab.report.timeline import timeline_of
from faultlab.report.timeline_text import timeline_lines
from faultlab.rules.judge import judge

WIDTH = 100


class Trial:
    """What the fixture `faultlab` is under the mark `scenario`: an agent runs in it, and its attempt is judged."""

    def __init__(self, group: Group, twin: str, seed: int, replay: str) -> None:
        self.scenario = group.scenario.id
        self.contract = group.contract.name
        self.twin = twin
        self.seed = seed
        self.replay = replay
        self._group = group
        self._history: History | None = None

    def judge(self, agent: Callable[..., Any]) -> Verdict:
        """Run `agent(task, env)`, a function or a coroutine function, and fail the test unless the attempt passes.

        Raises AssertionError with what the agent saw, what was true, the rule and the timeline.
        """
        self.attempt(agent)
        self.assert_clean()
        return self.verdict()

    def attempt(self, agent: Callable[..., Any]) -> Claim | None:
        """Run `agent(task, env)` on a fresh server, without judging; its claim, or None where it made none."""
        self._history, _ = run_attempt(agent, self._group, self.twin, 1, Conditions(self.seed))
        return self._history.claim

    @property
    def history(self) -> History:
        """The record of the latest attempt. Raises BadInput where there was none."""
        if self._history is None:
            raise BadInput(f"scenario {self.scenario}: no agent has run yet; call faultlab.judge(agent)")
        return self._history

    @property
    def ledger(self) -> list[Effect]:
        """The effects that took place."""
        return self.history.ledger

    def verdict(self) -> Verdict:
        """What the rules say of the latest attempt, given what its scenario accepts today."""
        return judged(judge, self.history, accepted(self._group.scenario.ignore, today()))

    def timeline(self) -> str:
        """The latest attempt as text: caller, network, server, ledger."""
        return "\n".join(line.plain.rstrip() for line in timeline_lines(timeline_of(self.history), WIDTH))

    def assert_clean(self) -> None:
        """Raises AssertionError unless the latest attempt passes."""
        __tracebackhide__ = True
        verdict = self.verdict()
        if verdict.verdict != "pass":
            raise AssertionError(failure_text(self.history, verdict, self.replay))
