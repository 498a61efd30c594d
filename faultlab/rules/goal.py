"""One effect that the task wants, once or more often: what was sent, said and done for it."""

from collections.abc import Mapping
from typing import NamedTuple

from faultlab.core.canonical import label
from faultlab.core.history import Expected
from faultlab.core.operation import Operation
from faultlab.core.records import Claim, Effect, Outcome, Status

NOTHING: tuple[None, None] = (None, None)
"""No operation, and nothing known of it."""


class Wanted(NamedTuple):
    """One intended effect, whether or not anything was sent for it."""

    tool: str
    identity: str
    label: str
    operation: Operation | None
    knowledge: Outcome | None
    """At the claim; None: nothing was sent."""
    said: Status | None
    """What the claim says of it; None: there is no claim."""

    @property
    def calls(self) -> tuple[int, ...]:
        return () if self.operation is None else tuple([call.n for call in self.operation.calls])


class Goal:
    """Equal intended effects, and every line of the ledger with their tool and identity."""

    __slots__ = ("denied", "done", "effects", "exactly", "identity", "stands", "tool", "wanted")

    def __init__(
        self, expected: Expected, sent: Mapping[str, tuple[Operation, Outcome | None]], claim: Claim | None
    ) -> None:
        """`sent`: label -> operation, and what was known of it at the claim."""
        self.tool = tool = expected.tool
        self.identity = identity = expected.identity
        self.exactly = expected.exactly
        self.effects: list[Effect] = []
        self.stands = 0
        """Effects that fulfil it at the horizon: not taken back, and not those of interference."""
        self.done = 0
        """How many of them the claim says are done."""
        self.denied = 0
        """How many of them the claim says did not happen."""
        self.wanted: list[Wanted] = []
        for ordinal in range(1, expected.exactly + 1):
            name = label(tool, identity, ordinal)
            operation, knowledge = sent.get(name, NOTHING)
            said = None if claim is None else claim.of(name)
            self.wanted.append(Wanted(tool, identity, name, operation, knowledge, said))
            if said == "done":
                self.done += 1
            elif said in ("not_done", "refused"):
                self.denied += 1

    @property
    def label(self) -> str:
        return label(self.tool, self.identity)

    @property
    def own(self) -> list[Effect]:
        """The effects that the agent's calls caused, whoever answers for them."""
        return [effect for effect in self.effects if effect.actor not in ("interference", "human")]

    def made(self, wanted: Wanted) -> int:
        """How many effects one of the intended effects has by its own calls."""
        return sum(effect.call in wanted.calls for effect in self.effects)
