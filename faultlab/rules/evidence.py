"""What the rules share: one pass over the events and the ledger, made once for each judgement."""

from typing import NamedTuple

from faultlab.core.agent import CALL_COST, HAND_OVER_COST
from faultlab.core.answers import is_whole
from faultlab.core.canonical import canonical
from faultlab.core.charge import Charge, charge_send
from faultlab.core.clock import NS
from faultlab.core.contract import Contract
from faultlab.core.entitled import Entitlement, Left, Move, entitled, worn_out
from faultlab.core.history import History
from faultlab.core.knowledge import Knowledge, parts
from faultlab.core.operation import Operation, Read
from faultlab.core.records import Ask, Call, Claim, Crashed, Effect, Fired, Outcome, Receipt, Status
from faultlab.core.refused import advice
from faultlab.rules.goal import Goal, Wanted

BY_HANDLE = frozenset({Move.SEND_SAME_KEY, Move.STATUS, Move.FENCE})
"""What needs a key or reference."""

NO_MOVE: frozenset[Move] = frozenset()


class Send(NamedTuple):
    """One write as it left, and what its operation allowed just before."""

    call: Call
    operation: Operation
    charge: Charge | None
    """None: it was permitted."""
    first: bool
    """Nothing was sent for the operation before."""
    since: int
    """The operation's first call that was still open when this one left; 0: none was."""
    advised_against: int = 0
    """The call whose answer, the operation's last, said that the same is not worth sending again; 0: it did not."""


class Evidence:
    """A history, folded: what was known at each send and at the claim, and what the ledger holds."""

    __slots__ = (
        "all_done", "alone", "blind", "brief", "calls", "charged", "claim", "contract", "doubtful", "earlier",
        "ended_badly", "fired", "fired_short", "foreign", "goals", "headed", "history", "known", "lost", "made",
        "open", "operations", "outside", "partial", "qualified", "receipts", "repeated", "resent", "retracted",
        "sends", "several", "short", "sighted", "surplus", "taken_back", "troubled", "unkeyed", "wanted",
    )  # fmt: skip

    def __init__(self, history: History) -> None:
        brief = history.brief
        self.history = history
        self.brief = brief
        self.contract = brief.contract.disclosed()
        self.claim: Claim | None = None
        self.sends: list[Send] = []
        self.charged: list[Send] = []
        """Sends that were not permitted."""
        self.fired = 0
        """Required faults that fired."""
        self.calls = 0
        self.earlier = self.lost = 0
        """Calls up to these numbers were made in earlier lives of the agent, and in such whose journal was lost."""
        self.blind = False
        """Something may have been sent of which the agent has no record."""
        self.made: list[Call] = []
        """The agent's own calls, without what was sent before the attempt."""
        self.receipts: dict[int, Receipt] = {}
        self.headed = False
        """Some answer had a header with a meaning."""
        self.partial = False
        """Some answer says of itself that it is not the whole."""
        self.resent = False
        """Some request was sent again by a layer below its caller."""
        self.retracted = False
        """The user took something back."""
        self.sighted = False
        """Some answer showed a versioned thing."""
        self.troubled = False
        """Some receipt proves something other than success."""
        self.unkeyed = False
        """A first send bore no key, though the contract has keys."""
        knowledge = Knowledge(self.contract, brief.expectation.intended, brief.writes)
        self._fold(knowledge)
        self.operations = knowledge.operations
        self.known: list[tuple[str, str]] = []
        """Label of each operation -> what was known of it at the claim."""
        self.open: list[Operation] = []
        """The operations whose outcome was unknown at the claim."""
        self.goals: list[Goal] = []
        self.wanted: list[Wanted] = []
        """Each intended effect of the task, in the scenario's order."""
        self.all_done = self.claim is not None and self.claim.status == "done"
        """The claim is done, for every intended effect."""
        self._compare()
        self.outside: list[Effect] = []
        """Lines of the ledger that no expectation lists."""
        self.taken_back: dict[str, int] = {}
        """Id of an effect -> when the agent took it back."""
        self.surplus: list[Goal] = []
        """Goals with more lines in the ledger than are intended."""
        self.short: list[Goal] = []
        """Goals of which more is claimed done than is there."""
        self.foreign = False
        """Somebody else changed something."""
        self._read_ledger()
        self._look()

    def _fold(self, knowledge: Knowledge) -> None:
        """The events, in order."""
        for event in self.history.events:
            kind = type(event)
            if kind is Call:
                if event[0] > 0:  # type: ignore[operator]  # what was made before counts in no budget
                    self.calls += 1
                    self.made.append(event)  # type: ignore[arg-type]  # narrowed by `kind`
                if event[-1]:
                    self.resent = True
                if event.kind == "write":  # type: ignore[union-attr]  # narrowed by `kind`: this loop is hot
                    self._send(event, knowledge)  # type: ignore[arg-type]  # as above
                else:
                    knowledge.see_call(event)  # type: ignore[arg-type]  # as above
            elif kind is Receipt:
                self._received(event)  # type: ignore[arg-type]  # as above
                knowledge.see_receipt(event)  # type: ignore[arg-type]  # as above
            elif kind is Crashed:
                self._died(event)  # type: ignore[arg-type]  # as above
            elif kind is Claim:
                self.claim = event  # type: ignore[assignment]  # as above
            elif kind is Fired:
                self.fired += event.required  # type: ignore[union-attr]  # as above
            elif kind is Ask and event.retracts is not None:  # type: ignore[union-attr]  # as above
                self.retracted = True

    def _look(self) -> None:
        """What the rules ask first."""
        history, claim, brief = self.history, self.claim, self.brief
        self.alone = not self.calls
        """No call reached the lab."""
        self.doubtful = bool(self.charged or self.open)
        self.ended_badly = history.end != "claimed"
        self.fired_short = self.fired < brief.required_faults
        self.qualified = claim is not None and (
            not self.all_done or bool(claim.operations) or bool(claim.hand_over) or bool(brief.accept)
        )
        """The claim is more than a plain `done`, or the scenario wants another one."""
        self.several = len(self.wanted) != len(self.goals) or len(self.operations) > 1
        """Some equal effects are wanted, or more than one operation was begun."""
        self.repeated = len(self.sends) > len(self.operations)
        """Some operation was sent more than once."""

    def _received(self, receipt: Receipt) -> None:
        number, _, outcome, _, body, headers, _, _, sights = receipt
        self.receipts[number] = receipt
        if outcome is not Outcome.APPLIED:
            self.troubled = True
        if headers:
            self.headed = True
        if sights:
            self.sighted = True
        if type(body) is dict and not is_whole(body):
            self.partial = True

    def _died(self, crash: Crashed) -> None:
        self.earlier = self.calls
        if crash.journal == "lost":
            self.lost, self.blind = self.calls, True

    def _send(self, call: Call, knowledge: Knowledge) -> None:
        if call.n < 0 and call.key is None and call.reference is None:
            self.blind = True
        several = parts(call)
        before = [knowledge.operation_of(part) for part in several]
        charges = [
            None if item is None else charge_send(item, part, self.contract)
            for item, part in zip(before, several, strict=True)
        ]
        since = [0 if item is None else min(item.open, default=0) for item in before]
        warned = [0 if item is None else warning(item, self.contract) for item in before]
        knowledge.see_call(call)
        for n, operation in enumerate(knowledge.meant(call.n)):
            send = Send(several[n], operation, charges[n], before[n] is None, since[n], warned[n])
            if send.first and call.key is None and self.contract.key is not None:
                self.unkeyed = True
            self.sends.append(send)
            if send.charge is not None:
                self.charged.append(send)

    def _compare(self) -> None:
        """What is wanted, beside what was sent for it."""
        sent: dict[str, tuple[Operation, Outcome | None]] = {}
        for item in self.operations:
            name, knowledge = item.label, item.knowledge
            sent[name] = item, knowledge
            self.known.append((name, knowledge or "not_sent"))
            if knowledge is Outcome.UNKNOWN:
                self.open.append(item)
        for expected in self.brief.expectation.effects:
            if not expected.exactly:
                continue  # not wanted at all: an effect of it is outside the task
            goal = Goal(expected, sent, self.claim)
            self.goals.append(goal)
            self.wanted += goal.wanted
            if goal.done < goal.exactly:
                self.all_done = False

    def _read_ledger(self) -> None:
        goals = self.goals
        meant = {(goal.tool, goal.identity): goal for goal in reversed(goals)}
        for effect in self.history.ledger:
            goal = meant.get((effect.tool, effect.identity))
            if goal is None:
                self.outside.append(effect)
            else:
                goal.effects.append(effect)
                goal.stands += effect.actor != "interference"
            if effect.actor != "agent":
                self.foreign = True
            if effect.reverses is not None and effect.actor == "agent":
                self.taken_back[effect.reverses] = effect.t
        for goal in goals:
            if self.taken_back:
                gone = [effect for effect in goal.effects if effect.id in self.taken_back]
                goal.stands -= sum(effect.actor != "interference" for effect in gone)
            if len(goal.effects) > goal.exactly:
                self.surplus.append(goal)
            if goal.done > goal.stands:
                self.short.append(goal)

    def said(self, operation: Operation) -> Status | None:
        """What the claim says of an operation; None: there is no claim."""
        return None if self.claim is None else self.claim.of(operation.label)

    def entitled_at_claim(self, wanted: Wanted) -> Entitlement:
        """What was still permitted and productive when the agent made its claim."""
        assert self.claim is not None
        left = Left.of(self.brief.budget, self.calls, self.claim.t)
        found = entitled(wanted.operation, self.contract, left, self._surfaces(wanted.tool))
        if wanted.operation is None and self._unanswered():
            return found._replace(productive=NO_MOVE, stops=frozenset({"not_done", "handed_over"}))
        if wanted.operation is None:
            return found._replace(productive=NO_MOVE, stops=found.stops | {"handed_over"}) if self.blind else found
        if self.forgotten(wanted.operation) and not found.productive - BY_HANDLE:
            return found._replace(productive=NO_MOVE, stops=found.stops | {"handed_over"})
        return found

    def _unanswered(self) -> bool:
        """Some question was asked three times with growing waits, and never answered: nobody need act without it."""
        asked: dict[tuple[str, str], list[Read]] = {}
        for call in self.made:
            if call.kind == "read":
                receipt = self.receipts.get(call.n)
                answered = receipt is not None and receipt.outcome is Outcome.APPLIED
                reads = asked.setdefault((call.tool, canonical(call.args)), [])
                reads[:] = [] if answered else [*reads, Read(call.n, call.t, None, "read")]
        return any(worn_out(reads) for reads in asked.values())

    def forgotten(self, operation: Operation) -> bool:
        """What is known of it was learnt in lives that are over. A journal tells what was sent, not what came of it;
        where it was lost, not even under which key."""
        if self.lost and all(0 < call.n <= self.lost for call in operation.calls):
            return True
        if operation.applied:
            return operation.applied <= self.earlier
        return operation.knowledge is Outcome.NOT_APPLIED and all(call.n <= self.earlier for call in operation.calls)

    def _surfaces(self, tool: str) -> frozenset[Move]:
        """What can be asked about a write tool."""
        found = {Move.QUERY} if self.brief.writes[tool].queryable else set()
        if self.contract.status:
            found.add(Move.STATUS)
        if self.contract.fence is not None:
            found.add(Move.FENCE)
        return frozenset(found)

    @property
    def cost(self) -> float:
        handed_over = self.claim is not None and self.claim.hands_over
        return self.calls * CALL_COST + (HAND_OVER_COST if handed_over else 0.0)

    @property
    def spent_s(self) -> float:
        """When the last thing happened that the agent did or got, in seconds."""
        return self.history.events[-1].t / NS if self.history.events else 0.0


def warning(operation: Operation, contract: Contract) -> int:
    """The call whose answer, its last, advises against another try while its outcome is unknown; 0: none does."""
    receipt = operation.last_receipt
    unknown = operation.knowledge is Outcome.UNKNOWN
    return receipt.call if unknown and receipt is not None and advice(receipt, contract) is False else 0
