"""Histories written by hand, one record at a time."""

from collections.abc import Iterable, Mapping
from typing import Any

from faultlab.core.agent import Budget
from faultlab.core.canonical import digest, identity_of
from faultlab.core.contract import Contract
from faultlab.core.history import Brief, End, Expectation, Expected, History, WriteTerms
from faultlab.core.profiles import PROFILES
from faultlab.core.records import Call, Claim, Effect, Event, Fired, HandOver, Outcome, Receipt, Reveal, Status

SECOND = 1_000_000_000
OP = "refund_order(A17)"
WRITES = {
    "refund_order": WriteTerms(("order_id",), queryable=True),
    "reverse_refund": WriteTerms(("order_id",), reverses="refund_order"),
    "force_refund": WriteTerms(("order_id",), equivalent_to="refund_order"),
    "promise_refund": WriteTerms(("order_id",), provisional=True, queryable=True),
}


def at(seconds: float) -> int:
    return int(seconds * SECOND)


class Story:
    """An attempt as it is told: each method adds one record, `history` ends it. A claim comes last."""

    def __init__(
        self,
        contract: str | Contract = "none",
        *,
        expect: Iterable[Expected] = (Expected("refund_order", "A17"),),
        budget: Budget | None = None,
        accept: tuple[Status, ...] = (),
        required: int = 0,
        state: Mapping[str, Any] | None = None,
        must_say: tuple[str, ...] = (),
    ) -> None:
        terms = PROFILES[contract] if isinstance(contract, str) else contract
        expectation = Expectation(tuple(expect), state or {}, must_say)
        self.brief = Brief(terms, budget or Budget(), expectation, WRITES, accept, required)
        self.events: list[Event] = []
        self.ledger: list[Effect] = []
        self.calls: list[Call] = []

    def send(
        self,
        at_s: float,
        *,
        tool: str = "refund_order",
        order: str = "A17",
        amount: str = "40.00",
        key: str | None = None,
        reference: str | None = None,
        scope: str | None = None,
        resent: int = 0,
    ) -> "Story":
        """A write leaves."""
        args = {"order_id": order, "amount": amount}
        handles = (key, reference, None, scope, None, (), resent)
        return self._call(at_s, tool, "write", args, identity_of(("order_id",), args), *handles)

    def ask(self, at_s: float, tool: str = "list_refunds", kind: str = "read", **args: str) -> "Story":
        """A read, status query or fence leaves."""
        return self._call(at_s, tool, kind, args or {"order_id": "A17"})

    def _call(self, at_s: float, tool: str, kind: Any, args: Mapping[str, Any], *handles: Any) -> "Story":
        call = Call(len(self.calls) + 1, at(at_s), tool, kind, args, *handles)
        self.calls.append(call)
        self.events.append(call)
        return self

    def lost(self, error: str = "ReadTimeout", after_s: float = 0.5) -> "Story":
        """The last call ends in an exception."""
        reveals: tuple[Reveal, ...] = ()
        if self.calls[-1].kind != "write":
            reveals = (Reveal("refund_order", "A17", None, (), "not_ready"),)
        return self._receipt(None, None, {}, error, reveals, after_s)

    def ok(self, *, replay: bool = False, after_s: float = 0.1) -> "Story":
        """The last call gets a whole 200."""
        return self._receipt(200, {"id": "x"}, {"idempotent-replayed": "true"} if replay else {}, after_s=after_s)

    def status(
        self, status: int, body: Any = None, headers: Mapping[str, str] | None = None, after_s: float = 0.1
    ) -> "Story":
        return self._receipt(status, body or {}, headers, after_s=after_s)

    def told(
        self,
        *shown: str | None,
        handle: str | None = None,
        answer: Any = None,
        definitive: bool = False,
        after_s: float = 0.1,
    ) -> "Story":
        """The last call, a question about A17, is answered with the effects that it shows."""
        said: Any = answer or ("present" if shown else "absent")
        asked = ("refund_order", "A17") if handle is None else ("", "")
        return self._receipt(200, {}, reveals=(Reveal(*asked, handle, shown, said, definitive),), after_s=after_s)

    def _receipt(
        self,
        status: int | None,
        body: Any,
        headers: Mapping[str, str] | None = None,
        error: str | None = None,
        reveals: tuple[Reveal, ...] = (),
        after_s: float = 0.1,
    ) -> "Story":
        call = self.calls[-1]
        outcome = Outcome.APPLIED
        if status is None:
            outcome = Outcome.NOT_APPLIED if error == "ConnectError" else Outcome.UNKNOWN
        elif status >= 300:
            outcome = Outcome.NOT_APPLIED if 400 <= status < 500 else Outcome.UNKNOWN
        elif call.tool == "promise_refund":
            outcome = Outcome.UNKNOWN
        self.events.append(Receipt(call.n, call.t + at(after_s), outcome, status, body, headers or {}, error, reveals))
        return self

    def effect(
        self,
        call: int | None = None,
        *,
        tool: str = "refund_order",
        order: str = "A17",
        actor: Any = "agent",
        cause: Any = None,
        reverses: str | None = None,
        at_s: float | None = None,
    ) -> "Story":
        """One line of the ledger, of the last call or of another; `call=0` for somebody else's."""
        number = len(self.calls) if call is None else call
        when = at(at_s) if at_s is not None else self.calls[number - 1].t + 1 if number else 0
        name = f"e{len(self.ledger) + 1}"
        self.ledger.append(Effect(name, when, number, tool, order, {}, None, None, actor, cause or actor, reverses))
        return self

    def fired(self, *, required: bool = True) -> "Story":
        call = self.calls[-1]
        self.events.append(Fired(call.n, call.t, "refund_order#1", "after", "timeout", required))
        return self

    def record(self, **changes: Any) -> HandOver:
        """The true hand-over record of refund_order(A17), or one with fields changed."""
        writes = [call for call in self.calls if call.kind == "write"]
        last = writes[-1]
        receipts = {event.call: event for event in self.events if type(event) is Receipt}
        receipt = receipts[last.n]
        reads = tuple(n for n, item in receipts.items() if item.reveals and n > writes[0].n)
        said = receipt.error or str(receipt.status)
        handle = last.key or last.reference
        return HandOver(OP, handle, digest(last.args), last.scope, writes[0].t, said, reads)._replace(**changes)

    def claim(
        self,
        status: Any,
        at_s: float = 60,
        text: str = "",
        evidence: tuple[int, ...] = (),
        operations: Mapping[str, Status] | None = None,
        hand_over: tuple[HandOver, ...] = (),
    ) -> History:
        """The agent's last word."""
        self.events.append(Claim(status, text, evidence, operations or {}, hand_over, at(at_s)))
        return self.history()

    def handed_over(self, at_s: float = 60, **changes: Any) -> History:
        """The claim handed_over with a record."""
        return self.claim("handed_over", at_s, hand_over=(self.record(**changes),))

    def history(
        self,
        end: End = "claimed",
        *,
        facts: Mapping[str, Any] | None = None,
        error: str = "",
        hosts: Iterable[str] = (),
    ) -> History:
        given = dict(self.brief.expectation.state) if facts is None else facts
        return History(self.brief, self.events, self.ledger, end, given, error, tuple(hosts), at(1_000))
