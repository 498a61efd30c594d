"""One operation's past, told call by call as its caller saw it."""

from typing import Any

from faultlab.core.agent import Budget
from faultlab.core.charge import charge_send
from faultlab.core.clock import ns
from faultlab.core.contract import Contract
from faultlab.core.entitled import Entitlement, Left, Move, entitled
from faultlab.core.history import WriteTerms
from faultlab.core.knowledge import Knowledge
from faultlab.core.operation import Operation
from faultlab.core.profiles import PROFILES
from faultlab.core.records import Call, Outcome, Receipt, Reveal, Sight

DAY_S = 86_400
ALL = frozenset({Move.QUERY, Move.STATUS, Move.FENCE})
RICH = Budget(1000, 10.0 * DAY_S, 10_000.0)
APPLIED, NOT_APPLIED, UNKNOWN = Outcome.APPLIED, Outcome.NOT_APPLIED, Outcome.UNKNOWN
ABSENT = Reveal("pay", "A", None, (), "absent")


def terms(contract: str | Contract) -> Contract:
    return (PROFILES[contract] if isinstance(contract, str) else contract).disclosed()


class Past:
    """One operation's past, as a caller saw it."""

    def __init__(self, contract: str | Contract = "none", declared: WriteTerms | None = None) -> None:
        self.contract = terms(contract)
        writes = {} if declared is None else {"pay": declared}
        self.knowledge = Knowledge(self.contract, lambda tool, identity: 1, writes)
        self.sent = 0

    def call(self, at_s: float, key: str | None = None, reference: str | None = None, **more: Any) -> Call:
        args = {"id": "A", "amount": more.pop("amount", 1)}
        return Call(self.sent + 1, ns(at_s), "pay", "write", args, "A", key, reference, **more)

    def send(
        self,
        at_s: float,
        outcome: Outcome,
        key: str | None = None,
        status: int | None = None,
        headers: dict[str, str] | None = None,
        *,
        body: Any = None,
        error: str | None = None,
        **more: Any,
    ) -> "Past":
        """`error`: there was no complete answer."""
        call = self.call(at_s, key, **more)
        self.sent += 1
        self.knowledge.see(call)
        if status is None and error is None:
            status = {APPLIED: 200, NOT_APPLIED: 422, UNKNOWN: 503}[outcome]
        self.knowledge.see(Receipt(call.n, call.t, outcome, status, body or {}, headers or {}, error))
        return self

    def died(self, at_s: float, key: str | None = None, **more: Any) -> "Past":
        """Sent, and the caller ended before it had an answer."""
        call = self.call(at_s, key, **more)
        self.sent += 1
        self.knowledge.see(call)
        return self

    def ask(
        self,
        at_s: float,
        reveal: Reveal | None = ABSENT,
        kind: str = "read",
        *,
        version: int | None = None,
        headers: dict[str, str] | None = None,
        scope: str | None = None,
    ) -> "Past":
        """`reveal` None: no answer came. `version`: of the thing that is written, as the answer shows it."""
        self.sent += 1
        self.knowledge.see(Call(self.sent, ns(at_s), "ask", kind, {}, scope=scope))  # type: ignore[arg-type]  # a literal
        outcome = UNKNOWN if reveal is None else APPLIED
        told = reveal or (ABSENT if kind == "read" else Reveal("", "", "r1", (), "not_ready"))
        sights = () if version is None else (Sight("bills/A", version, told.fresh),)
        status = 503 if reveal is None else 200
        answer = Receipt(self.sent, ns(at_s) + 1, outcome, status, {}, headers or {}, None, (told,), sights)
        self.knowledge.see(answer)
        return self

    @property
    def operation(self) -> Operation | None:
        return self.knowledge.operations[0] if self.knowledge.operations else None

    def now(self, at_s: float, budget: Budget = RICH, calls: int | None = None, surfaces: Any = ALL) -> Entitlement:
        spent = self.sent if calls is None else calls
        return entitled(self.operation, self.contract, Left.of(budget, spent, ns(at_s)), frozenset(surfaces))

    def code(self, call: Call) -> str | None:
        assert self.operation is not None
        charge = charge_send(self.operation, call, self.contract)
        return None if charge is None else charge.code
