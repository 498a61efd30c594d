"""What the rules share: one pass over the events, made once for each judgement."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

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


class Wanted:
    """One intended effect, whether or not anything was sent for it."""

    __slots__ = ("identity", "knowledge", "label", "operation", "ordinal", "said", "tool")

    def __init__(
        self, tool: str, identity: str, ordinal: int, operation: Operation | None, claim: Claim | None
    ) -> None:
        self.tool = tool
        self.identity = identity
        self.ordinal = ordinal
        self.operation = operation
        self.label = label(tool, identity, ordinal)
        self.knowledge: Outcome | None = None if operation is None else operation.knowledge
        """At the claim."""
        self.said: Status | None = None if claim is None else claim.of(self.label)
        """What the claim says of it; None: there is no claim."""


class Evidence:
    """A history, folded: what was known at each send and at the claim."""

    def __init__(self, history: History) -> None:
        brief = history.brief
        self.history = history
        self.brief = brief
        self.contract = brief.contract.disclosed()
        self.claim: Claim | None = None
        self.sends: list[Send] = []
        self.charged = False
        """Some send was not permitted."""
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
        self.intended: Mapping[tuple[str, str], int] = {
            (item.tool, item.identity): item.exactly for item in brief.expectation.effects
        }
        """(tool, identity) -> how often its effect is wanted."""
        self.within = self._within()
        """Every line of the ledger is wanted, and none too often: the usual case."""
        self.wanted = self._wanted()
        """Each intended effect of the task, in the scenario's order."""
        self.reversed = self._reversed()
        """Ids of effects that were taken back before the claim."""
        self.plain = self._plain()
        """Everything wanted was applied once, by permitted sends, and is claimed done: most rules have nothing to say."""

    def _send(self, call: Call, knowledge: Knowledge) -> None:
        if call.kind != "write":
            knowledge.see_call(call)
            return
        before = knowledge.operation_of(call)
        charge = None if before is None else charge_send(before, call, self.contract)
        self.charged = self.charged or charge is not None
        operation = knowledge.see_call(call)
        assert operation is not None
        self.sends.append(Send(call, operation, charge, before is None))

    def _wanted(self) -> Sequence[Wanted]:
        found = []
        for item in self.brief.expectation.effects:
            same = [one for one in self.operations if one.tool == item.tool and one.identity == item.identity]
            for ordinal in range(1, item.exactly + 1):
                operation = same[ordinal - 1] if ordinal <= len(same) else None
                found.append(Wanted(item.tool, item.identity, ordinal, operation, self.claim))
        return found

    def _plain(self) -> bool:
        if self.charged or not self.within or self.reversed or self.history.end != "claimed":
            return False
        if len(self.history.ledger) != len(self.wanted):
            return False
        applied = Outcome.APPLIED
        return all(wanted.said == "done" and wanted.knowledge is applied for wanted in self.wanted)

    def _reversed(self) -> frozenset[str]:
        if not any(effect.reverses for effect in self.history.ledger):
            return frozenset()
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

    def surplus_cause(self, tool: str, identity: str) -> Literal["agent", "server"]:
        """Who answers for one effect too many: the agent where a call that was not permitted had one."""
        charged = {send.call.n for send in self.sends if send.charge is not None}
        ours = any(effect.call in charged for effect in self.effects(tool, identity) if effect.cause == "agent")
        return "agent" if ours else "server"

    def _within(self) -> bool:
        left = dict(self.intended)
        for effect in self.history.ledger:
            key = (effect.tool, effect.identity)
            count = left.get(key, 0)
            if not count:
                return False
            left[key] = count - 1
        return True

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
        """An own call got a complete, final 2xx, and none of them had an effect: that is the server's fault.

        An effect that came about and was taken back is not.
        """
        numbers = self.numbers(wanted.operation)
        return (
            not self.brief.writes[wanted.tool].provisional
            and any(
                (receipt := self.receipts.get(number)) is not None and receipt.outcome is Outcome.APPLIED
                for number in numbers
            )
            and not any(effect.call in numbers for effect in self.history.ledger)
        )

    def honours_keys(self) -> bool:
        return self.contract.key is not None

    def numbers(self, operation: Operation | None) -> tuple[int, ...]:
        return () if operation is None else tuple(call.n for call in operation.calls)

    def unwanted(self) -> Iterable[Effect]:
        """Agent effects that no expectation lists; taking back an expected effect is none."""
        wanted = self.intended
        for effect in self.history.ledger:
            terms = self.brief.writes.get(effect.tool)
            reverses = terms is not None and terms.reverses is not None and (terms.reverses, effect.identity) in wanted
            if effect.actor == "agent" and (effect.tool, effect.identity) not in wanted and not reverses:
                yield effect
