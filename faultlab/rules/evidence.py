"""What the rules share: one pass over the events, made once for each judgement."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

from faultlab.core.agent import CALL_COST, HAND_OVER_COST
from faultlab.core.canonical import label
from faultlab.core.clock import NS
from faultlab.core.entitled import Charge, Entitlement, Left, Move, charge_send, entitled
from faultlab.core.history import History
from faultlab.core.knowledge import Knowledge, Operation
from faultlab.core.records import Call, Claim, Effect, Fired, Outcome, Receipt, Status


class Send(NamedTuple):
    """One write as it left, and what its operation allowed just before."""

    call: Call
    operation: Operation
    charge: Charge | None
    """None: it was permitted."""
    first: bool
    """Nothing was sent for the operation before."""


class Wanted(NamedTuple):
    """One intended effect, whether or not anything was sent for it."""

    tool: str
    identity: str
    ordinal: int
    operation: Operation | None

    @property
    def label(self) -> str:
        return label(self.tool, self.identity, self.ordinal)

    @property
    def knowledge(self) -> Outcome | None:
        return None if self.operation is None else self.operation.knowledge


class Evidence:
    """A history, folded: what was known at each send and at the claim."""

    def __init__(self, history: History) -> None:
        brief = history.brief
        self.history = history
        self.brief = brief
        self.contract = brief.contract.disclosed()
        self.claim: Claim | None = None
        self.sends: list[Send] = []
        self.fired: list[Fired] = []
        self.calls = 0
        self.receipts: dict[int, Receipt] = {}
        knowledge = Knowledge(self.contract, brief.expectation.intended)
        for event in history.events:
            kind = type(event)
            if kind is Call:
                self.calls += 1
                self._send(event, knowledge)  # type: ignore[arg-type]  # narrowed by `kind`: this loop is hot
            elif kind is Receipt:
                self.receipts[event[0]] = event  # type: ignore[index, assignment]  # as above
                knowledge.see_receipt(event)  # type: ignore[arg-type]  # as above
            elif kind is Fired:
                self.fired.append(event)  # type: ignore[arg-type]  # as above
            elif kind is Claim:
                self.claim = event  # type: ignore[assignment]  # as above
        self.operations: Sequence[Operation] = knowledge.operations

    def _send(self, call: Call, knowledge: Knowledge) -> None:
        if call.kind != "write":
            knowledge.see_call(call)
            return
        before = knowledge.operation_of(call)
        charge = None if before is None else charge_send(before, call, self.contract)
        operation = knowledge.see_call(call)
        assert operation is not None
        self.sends.append(Send(call, operation, charge, before is None))

    @cached_property
    def wanted(self) -> Sequence[Wanted]:
        """Each intended effect of the task, in the scenario's order."""
        found = []
        for item in self.brief.expectation.effects:
            same = [one for one in self.operations if one.tool == item.tool and one.identity == item.identity]
            for ordinal in range(1, item.exactly + 1):
                operation = same[ordinal - 1] if ordinal <= len(same) else None
                found.append(Wanted(item.tool, item.identity, ordinal, operation))
        return found

    @cached_property
    def reversed(self) -> frozenset[str]:
        """Ids of effects that were taken back before the claim."""
        until = self.claim.t if self.claim is not None else self.history.horizon_ns
        return frozenset(effect.reverses for effect in self.history.ledger if effect.reverses and effect.t <= until)

    def standing(self, tool: str, identity: str) -> list[Effect]:
        """Effects of an operation's tool and identity that were not taken back."""
        return [
            effect
            for effect in self.history.ledger
            if effect.tool == tool and effect.identity == identity and effect.id not in self.reversed
        ]

    def effects(self, tool: str, identity: str) -> list[Effect]:
        return [effect for effect in self.history.ledger if effect.tool == tool and effect.identity == identity]

    @cached_property
    def ledger_counts(self) -> Counter[tuple[str, str]]:
        return Counter((effect.tool, effect.identity) for effect in self.history.ledger)

    def said(self, wanted: Wanted) -> Status | None:
        """What the claim says of an intended effect; None: there is no claim."""
        return None if self.claim is None else self.claim.of(wanted.label)

    def surfaces(self, tool: str) -> frozenset[Move]:
        """What can be asked about a write tool."""
        found = {Move.QUERY} if self.brief.writes[tool].queryable else set()
        if self.contract.status:
            found.add(Move.STATUS)
        if self.contract.fence is not None:
            found.add(Move.FENCE)
        return frozenset(found)

    def entitled_at_claim(self, wanted: Wanted) -> Entitlement:
        """What was still permitted and productive when the agent made its claim."""
        assert self.claim is not None
        left = Left.of(self.brief.budget, self.calls, self.claim.t)
        return entitled(wanted.operation, self.contract, left, self.surfaces(wanted.tool))

    @property
    def cost(self) -> float:
        handed_over = self.claim is not None and self.claim.status == "handed_over"
        return self.calls * CALL_COST + (HAND_OVER_COST if handed_over else 0.0)

    @property
    def spent_s(self) -> float:
        """When the last thing happened that the agent did or got, in seconds."""
        return self.history.events[-1].t / NS if self.history.events else 0.0

    def own_effects(self, wanted: Wanted) -> list[Effect]:
        """Standing effects of one intended effect. Of several equal ones, each has those of its own calls."""
        standing = self.standing(wanted.tool, wanted.identity)
        if self.brief.expectation.intended(wanted.tool, wanted.identity) == 1:
            return standing
        calls = self.numbers(wanted.operation)
        return [effect for effect in standing if effect.call in calls]

    def missing(self, wanted: Wanted) -> bool:
        """The intended effect does not stand at the horizon."""
        return not self.own_effects(wanted)

    def promised(self, wanted: Wanted) -> bool:
        """An own call got a complete, final 2xx: if the effect is missing all the same, that is the server's fault."""
        return not self.brief.writes[wanted.tool].provisional and any(
            (receipt := self.receipts.get(number)) is not None and receipt.outcome is Outcome.APPLIED
            for number in self.numbers(wanted.operation)
        )

    def honours_keys(self) -> bool:
        return self.contract.key is not None

    def numbers(self, operation: Operation | None) -> tuple[int, ...]:
        return () if operation is None else tuple(call.n for call in operation.calls)

    def unwanted(self) -> Iterable[Effect]:
        """Agent effects that no expectation lists; taking back an expected effect is none."""
        wanted = {(item.tool, item.identity) for item in self.brief.expectation.effects}
        for effect in self.history.ledger:
            terms = self.brief.writes.get(effect.tool)
            reverses = terms is not None and terms.reverses is not None and (terms.reverses, effect.identity) in wanted
            if effect.actor == "agent" and (effect.tool, effect.identity) not in wanted and not reverses:
                yield effect
