"""An attempt as lines of a timeline: what the caller did and got, what the server did, and what is in the ledger.

The reader sees both sides; the caller saw only its own.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from faultlab.core.history import History
from faultlab.core.knowledge import Knowledge
from faultlab.core.operation import Operation, is_replay
from faultlab.core.records import Call, Crashed, Effect, Event, Fired, Note, Outcome, Receipt
from faultlab.report.timeline_line import Line, Way, is_sent, told
from faultlab.report.words import arguments, body_words, handle_words, seconds

NEVER_ARRIVED = frozenset({"connect", "before", "late_network"})
"""Phases in which the request does not reach the server when it is sent."""


class Timeline(NamedTuple):
    """The lines, and the names that stand in them."""

    lines: tuple[Line, ...]
    effects: Mapping[str, str]
    """Effect id -> its short name: e1, e2 ... in ledger order."""
    unknown: tuple[str, ...]
    """Operations that were unknown for a while."""
    remarks: tuple[str, ...] = ()
    """What no line tells."""


def timeline_of(history: History) -> Timeline:
    """Events in order; effects that came about later than their call at their own time."""
    teller = _Teller(history)
    lines = tuple(teller.lines())
    landed = {effect.call for effect in history.ledger}
    remarks = [
        f"#{call} came late and took no effect: by then it was barred, or answered from the first result"
        for call, fired in teller.fired.items()
        if fired.phase.startswith("late") and call not in landed
    ]
    return Timeline(lines, teller.names, tuple(teller.were_unknown), tuple(remarks))


class _Teller:
    """Goes once through a history."""

    def __init__(self, history: History) -> None:
        self.history = history
        self.contract = history.brief.contract
        self.knowledge = Knowledge(self.contract.disclosed(), history.brief.expectation.intended, history.brief.writes)
        self.names = {effect.id: f"e{place}" for place, effect in enumerate(history.ledger, 1)}
        self.surplus = surplus_of(history)
        self.calls = {event.n: event for event in history.events if type(event) is Call}
        self.receipts = {event.call: event for event in history.events if type(event) is Receipt}
        self.fired = {event.call: event for event in history.events if type(event) is Fired}
        self.struck: set[int] = set()
        self.were_unknown: dict[str, None] = {}
        sent = {call.n: call.t for call in self.calls.values()}
        self.at_once = {
            effect.call: effect
            for effect in reversed(history.ledger)  # the first one of a call that has several
            if sent.get(effect.call) == effect.t and not self._held_up(effect.call)
        }
        now = {effect.id for effect in self.at_once.values()}
        self.later = [effect for effect in history.ledger if effect.id not in now]
        caused = {effect.call for effect in history.ledger}
        self.stayed = {n for n, item in self.fired.items() if item.fault == "client_crash" and n not in caused}
        """Calls whose caller died before they left it."""
        died = sum(type(event) is Crashed for event in history.events)
        self.lives = 1 + died + any(n < 0 for n in self.calls)

    def _held_up(self, call: int) -> bool:
        fired = self.fired.get(call)
        return fired is not None and fired.phase.startswith("late")

    def lines(self) -> Iterator[Line]:
        before = any(n < 0 for n in self.calls) or any(effect.t < 0 for effect in self.history.ledger)
        for event in self.history.events:
            if before and event.t >= 0:
                before = False
                yield from self._landed_before(0)
                yield Line(0, "here the attempt begins", turn=True)
            yield from self._landed_before(event.t)
            self.knowledge.see(event)
            if type(event) is Fired:
                self.struck.add(event.call)
            for line in self._tell(event):
                yield line._replace(unknown=self._unknown())
        for effect in self.later:
            yield self._late(effect)
        if self.history.claim is None:
            yield Line(self._end_ns(), f"END {self.history.end}: {self.history.error}", claim=True)

    def _landed_before(self, at_ns: int) -> Iterator[Line]:
        while self.later and self.later[0].t < at_ns:
            yield self._late(self.later.pop(0))

    def _way_back(self, call: int) -> Way:
        receipt = self.receipts.get(call)
        return "no_answer" if receipt is None or receipt.error is not None else ""

    def _end_ns(self) -> int:
        return self.history.events[-1].t if self.history.events else 0

    def _unknown(self) -> bool:
        open_ones = [item for item in self.knowledge.operations if self._is_unknown(item)]
        self.were_unknown.update(dict.fromkeys(item.label for item in open_ones))
        return bool(open_ones)

    def _is_unknown(self, operation: Operation) -> bool:
        """From the loss on, not from the sending: a call on its way is not yet a worry."""
        lost = operation.last_unknown_ns >= 0 or bool(operation.open & self.struck)
        return lost and operation.knowledge is Outcome.UNKNOWN

    def _tell(self, event: Event) -> Iterator[Line]:
        if isinstance(event, Call):
            yield self._call(event)
        elif isinstance(event, Fired):
            if not event.call:
                yield Line(event.t, server=f"{_fault_words(event)}: the port is closed", fault=True)
            elif event.phase not in NEVER_ARRIVED and event.call not in self.stayed:
                yield Line(event.t, way=self._way_back(event.call), server=_fault_words(event), fault=True)
        elif isinstance(event, Receipt):
            yield self._receipt(event)
        elif not isinstance(event, Note) or self.lives > 1 or not is_sent(event):
            yield from told(event)

    def _call(self, call: Call) -> Line:
        caller = " ".join(
            filter(None, [f"#{call.n} {call.tool}", arguments(call.args), handle_words(call, self.contract)])
        )
        fired = self.fired.get(call.n)
        if fired is not None and (fired.phase in NEVER_ARRIVED or call.n in self.stayed):
            return Line(call.t, caller, "lost", _fault_words(fired), fault=True)
        effect = self.at_once.get(call.n)
        ledger = "" if effect is None else self._entry(effect)
        again = effect is not None and effect.id in self.surplus
        return Line(call.t, caller, "sent", self._server(call, fired), ledger, again=again)

    def _server(self, call: Call, fired: Fired | None) -> str:
        receipt = self.receipts.get(call.n)
        if call.kind == "write":
            return ", ".join(filter(None, [self._key_words(call), self._fate(call, fired, receipt)]))
        if receipt is None or receipt.error is not None or not isinstance(receipt.body, Mapping):
            return "asked"
        return body_words(receipt.body)

    def _key_words(self, call: Call) -> str:
        if self.contract.key is None:
            return "no key" if call.key is None else "key ignored"
        if call.key is None:
            return "no key"
        first = next(item.n for item in self.calls.values() if item.key == call.key)
        return "new key" if first == call.n else f"key of #{first}"

    def _fate(self, call: Call, fired: Fired | None, receipt: Receipt | None) -> str:
        if call.n in self.at_once:
            return "committed"
        if fired is not None and fired.phase == "late_server":
            return "admitted, still runs"
        if receipt is None or receipt.status is None:
            return ""
        if is_replay(receipt, self.contract) or receipt.status < 300:
            return "first result again" if self.contract.key is not None and call.key else "no effect"
        return f"refused: {_reason(receipt)}"

    def _receipt(self, receipt: Receipt) -> Line:
        call = self.calls[receipt.call]
        knows = self._knows(call, receipt)
        if receipt.error is not None:
            waited = seconds(receipt.t - call.t)
            return Line(receipt.t, f"   {receipt.error} after {waited}", server=knows)
        words = [str(receipt.status)]
        if call.kind == "write" and isinstance(receipt.body, Mapping) and receipt.outcome is Outcome.APPLIED:
            words.append(str(receipt.body.get("id", "")))
        elif not isinstance(receipt.body, Mapping):
            words.append("unreadable body")
        elif receipt.outcome is not Outcome.APPLIED:
            words.append(_reason(receipt))
        words += [f"{name} {value}" for name, value in receipt.headers.items() if name in ("retry-after", "age")]
        return Line(receipt.t, "   " + " ".join(filter(None, words)), "answer", knows)

    def _knows(self, call: Call, receipt: Receipt) -> str:
        """What the caller can conclude, said where it is not plain success."""
        if call.kind != "write" or receipt.outcome is Outcome.APPLIED:
            return ""
        operation = self.knowledge.operation_of(call)
        known = None if operation is None else operation.knowledge
        return "" if known is None else f"caller knows: {known.upper()}"

    def _late(self, effect: Effect) -> Line:
        again = effect.id in self.surplus
        if effect.actor != "agent":
            return Line(
                effect.t,
                server=f"{effect.actor}: {effect.tool}",
                ledger=self._entry(effect),
                again=again,
                unknown=self._unknown(),
            )
        fired = self.fired.get(effect.call)
        arrives = fired is not None and (fired.phase == "late_network" or fired.fault == "reordering")
        server = f"#{effect.call} {'arrives only now' if arrives else 'finishes only now'}, committed"
        if effect.call in self.at_once:
            server = f"#{effect.call} comes once more, committed" if effect.cause == "server" else ""
        return Line(
            effect.t,
            way="late" if arrives else "",
            server=server,
            ledger=self._entry(effect),
            again=again,
            unknown=self._unknown(),
        )

    def _entry(self, effect: Effect) -> str:
        back = f" takes {self.names.get(effect.reverses, effect.reverses)} back" if effect.reverses else ""
        return f"{self.names[effect.id]} {arguments(effect.args)}{back}"


def _fault_words(fired: Fired) -> str:
    """`FAULT lost_receipt (after, timeout)`."""
    held = ", held up on its way" if fired.phase == "late_network" else ""
    phase = "" if fired.phase == fired.fault else f"{fired.phase}, "
    return f"FAULT {fired.fault} ({phase}{fired.symptom}){held}"


def _reason(receipt: Receipt) -> str:
    body = receipt.body
    if not isinstance(body, Mapping):
        return f"{receipt.status}"
    error = body.get("error")
    code = error.get("code") if isinstance(error, Mapping) else body.get("code")
    return str(code or body.get("title") or receipt.status).replace("_", " ")


def surplus_of(history: History) -> frozenset[str]:
    """Ids of effects beyond those wanted, each counted when it happened; what was taken back makes room again."""
    count: Counter[tuple[str, str]] = Counter()
    surplus: set[str] = set()
    reversed_by = {effect.id: (effect.tool, effect.identity) for effect in history.ledger}
    for effect in history.ledger:
        if effect.reverses is not None:
            count[reversed_by.get(effect.reverses, ("", ""))] -= 1
            continue
        key = effect.tool, effect.identity
        count[key] += 1
        if count[key] > history.brief.expectation.intended(*key):
            surplus.add(effect.id)
    return frozenset(surplus)
