"""What was observed -> the row of the policy that answers it, for all that a client can be told.

The first column is in words; the rows are those a reader of the table would expect.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from faultlab.client.policy import TABLE, choose
from faultlab.client.recovery import Intent, Log, Recovery
from faultlab.client.source import Source
from faultlab.core.agent import Budget, Task
from faultlab.core.clock import ns
from faultlab.core.contract import Contract, KeyRules
from faultlab.core.outcome import outcome_of_error, outcome_of_response
from faultlab.core.profiles import PROFILES
from faultlab.core.records import Call, Receipt, Reveal, Sight
from faultlab.core.tools import Tool
from faultlab.engine.handles import cancel_operation, operation_status

ARGS = {"id": "A", "amount": "5"}
STATUS, FENCE = "operation_status", "cancel_operation"
ABSENT = Reveal("pay", "A", None, (), "absent")


class Now:
    """A client that has sent `pay(A)` and is about to choose. Each method adds what it was told."""

    def __init__(
        self,
        contract: str | Contract = "none",
        *,
        queries: bool = True,
        budget: Budget | None = None,
        source: Source | None = None,
        **declared: Any,
    ) -> None:
        self.contract = PROFILES[contract] if isinstance(contract, str) else contract
        schema = {"properties": {"id": {}, "amount": {}}, "required": []}
        common: dict[str, Any] = {"function": print, "description": ""}
        pay = Tool(name="pay", kind="write", schema=schema, identity=("id",), **common, **declared)
        find = Tool(
            name="find", kind="read", schema={"properties": {"id": {}}, "required": []},
            reveals={"pay": lambda body: ()}, **common,
        )  # fmt: skip
        tools = [pay, *([find] if queries else [])]
        tools += [operation_status] if self.contract.status else []
        tools += [cancel_operation] if self.contract.fence == "durable" else []
        self.at_s = 0.0
        self.store: dict[str, Any] = {}
        specs = {tool.name: tool.spec(self.contract) for tool in tools}
        task = Task("t1", "", {}, budget or Budget(100, 10 * 86_400.0, 500), specs)
        self.recovery = Recovery(Intent("pay", ARGS, "pay-A", source=source), task, self, Log())

    def now(self) -> float:
        return self.at_s

    def wait(self, wait_s: float) -> "Now":
        self.at_s += wait_s
        return self

    def _call(self, kind: Any, args: Mapping[str, Any], *more: Any) -> Call:
        self.wait(0.1)
        log = self.recovery.log
        call = Call(log.count + 1, ns(self.at_s), "pay" if kind == "write" else kind, kind, args, *more)
        log.calls.append(call)
        return call

    def sent(self, *, keyed: bool = True, if_match: str | None = None, amount: str = "5") -> "Now":
        recovery = self.recovery
        key = recovery.key if keyed else None
        call = self._call("write", {**ARGS, "amount": amount}, "A", key, recovery.reference, if_match)
        recovery.if_match = if_match
        recovery.operation.sent(call)
        return self

    def told(
        self, status: int | None = None, body: Any = None, headers: Mapping[str, str] | None = None, error: str = ""
    ) -> "Now":
        operation = self.recovery.operation
        if status is None:
            receipt = Receipt(operation.calls[-1].n, ns(self.at_s), outcome_of_error(error), error=error)
        else:
            outcome = outcome_of_response(
                status,
                body or {},
                provisional=operation.terms.provisional,
                rejects_before_effect=self.contract.rejects_before_effect,
            )
            receipt = Receipt(operation.calls[-1].n, ns(self.at_s), outcome, status, body or {}, headers or {})
        operation.received(receipt, self.recovery.contract)
        return self

    def lost(self, error: str = "ReadTimeout", **how: Any) -> "Now":
        return self.sent(**how).told(error=error)

    def read(self, reveal: Reveal | None = ABSENT, kind: str = "read", *, version: int | None = None) -> "Now":
        call = self._call(kind, {})
        sights = () if version is None else (Sight("bills/A", version),)
        receipt = Receipt(call.n, call.t, outcome_of_response(200, {}), 200, {}, sights=sights)
        self.recovery.operation.read(call, reveal, self.recovery.contract, receipt)
        return self

    @property
    def row(self) -> str:
        return choose(TABLE, self.recovery).name


BILLS = {"versioned": ("bills", "id")}
COND = Contract(name="c", precondition="honoured")
STRICT_STATUS = replace(PROFILES["strict"], status=True)
DESK = Source("read", {"id": "A"}, lambda page: ARGS)
DAY_S = 86_400.0


def shown(handle: str | None, **more: Any) -> Reveal:
    return Reveal("pay", "A", None, (handle,), "present", **more)


DECISIONS: tuple[tuple[str, Callable[[], Now], str], ...] = (
    ("nothing sent yet", Now, "not_sent"),
    ("connection or name look-up failed", lambda: Now().lost("ConnectError"), "not_applied"),
    ("no connection of the pool was free", lambda: Now().lost("PoolTimeout"), "not_applied"),
    ("timeout after the send, keys honoured", lambda: Now("strict").lost(), "protected_by_key"),
    ("reset after the send, keys honoured", lambda: Now("ietf").lost("ReadError"), "protected_by_key"),
    ("the same without a key", lambda: Now("strict").lost(keyed=False), "worth_a_look"),
    ("the same, keys not honoured", lambda: Now().lost(), "worth_a_look"),
    ("... nothing can be asked", lambda: Now(queries=False).lost(), "still_unknown"),
    ("... and a status query is offered", lambda: Now("status").lost(), "status_offered"),
    ("... and a durable fence is offered", lambda: Now("fence").lost(), "fence_offered"),
    ("... and only a wish can be passed on", lambda: Now("cooperative").lost(), "worth_a_look"),
    ("... and a settle time is stated", lambda: Now("settle").lost(), "settle_stated"),
    ("an idempotent tool nobody else writes", lambda: Now(Contract(name="a", writers="one"), idempotent=True).lost(),
     "harmless_again"),
    ("an idempotent tool others write too", lambda: Now(idempotent=True).lost(), "worth_a_look"),
    ("2xx", lambda: Now("strict").sent().told(200, {"id": "p1"}), "applied"),
    ("2xx with a replay marker", lambda: Now("strict").lost().sent().told(200, {}, {"idempotent-replayed": "true"}),
     "applied"),
    ("a refusal with a replay marker", lambda: Now("strict").lost().sent().told(
        422, {}, {"idempotent-replayed": "true"}), "refused_for_good"),
    ("202, a status query is offered", lambda: Now(STRICT_STATUS).sent().told(202, {}), "status_offered"),
    ("202, lists only", lambda: Now("strict").sent().told(202, {}), "worth_a_look"),
    ("a promise of a tool whose 2xx is provisional", lambda: Now("strict", provisional=True).sent().told(200, {}),
     "worth_a_look"),
    ("... its request got no answer at all", lambda: Now("strict", provisional=True).lost(), "protected_by_key"),
    ("... still running", lambda: Now(STRICT_STATUS).sent().told(202, {}).read(
        Reveal("", "", "t1-pay-A-k", (), "not_ready"), "status"), "status_offered"),
    ("... finished", lambda: Now(STRICT_STATUS).sent().told(202, {}).read(
        Reveal("", "", "t1-pay-A-k", ("t1-pay-A-k",), "present", True), "status"), "applied"),
    ("... failed for good", lambda: Now(STRICT_STATUS).sent().told(202, {}).read(
        Reveal("", "", "t1-pay-A-k", (), "failed", True), "status"), "refused_for_good"),
    ("... failed, and may be asked for again", lambda: Now(STRICT_STATUS, provisional=True, retryable=True).sent()
        .told(202, {}).read(Reveal("", "", "t1-pay-A-k", (), "failed", True), "status"), "not_applied"),
    ("409 in progress", lambda: Now("ietf").lost().sent().told(409, {"code": "in_flight"}), "protected_by_key"),
    ("... with Retry-After", lambda: Now("strict").lost().sent().told(409, {"code": "in_flight"}, {"retry-after": "3"}),
     "told_to_wait"),
    ("another 409", lambda: Now().sent().told(409, {"code": "registered"}), "refused_for_good"),
    ("another 409 on a resend", lambda: Now("strict").lost().sent().told(409, {"code": "registered"}),
     "protected_by_key"),
    ("422, key used with other parameters, by whom is not known", lambda: Now("strict").sent().told(
        422, {"code": "key_mismatch"}), "worth_a_look"),
    ("... a status query is offered", lambda: Now(STRICT_STATUS).sent().told(422, {"code": "key_mismatch"}),
     "status_offered"),
    ("... read: it was somebody else's", lambda: Now(STRICT_STATUS).sent().told(422, {"code": "key_mismatch"}).read(
        Reveal("pay", "B", "t1-pay-A-k", ("t1-pay-A-k",), "present", True), "status"), "not_applied"),
    ("... read: it was one's own", lambda: Now(STRICT_STATUS).sent().told(422, {"code": "key_mismatch"}).read(
        Reveal("pay", "A", "t1-pay-A-k", ("t1-pay-A-k",), "present", True), "status"), "applied"),
    ("... own drift, the first is still unknown", lambda: Now("strict").lost().sent(amount="6").told(
        422, {"code": "key_mismatch"}), "protected_by_key"),
    ("412, the key is out of its window, first sent now", lambda: Now("oasis").sent().told(
        412, {"error": {"code": "key_expired"}}), "not_applied"),
    ("... on a resend", lambda: Now("oasis").lost().wait(400).sent().told(412, {"error": {"code": "key_expired"}}),
     "worth_a_look"),
    ("412 after If-Match, the first try", lambda: Now(COND, **BILLS).sent(if_match='"1"').told(412), "another_version"),
    ("... looked at", lambda: Now(COND, **BILLS).sent(if_match='"1"').told(412).read(shown("x"), version=2),
     "version_gone"),
    ("... and the write can be decided again", lambda: Now(COND, source=DESK, **BILLS).sent(if_match='"1"').told(412),
     "version_undecided"),
    ("412 after If-Match on a resend", lambda: Now(COND, **BILLS).lost(if_match='"1"').sent(if_match='"1"').told(412),
     "worth_a_look"),
    ("... under a key, too", lambda: Now(replace(COND, key=PROFILES["strict"].key), **BILLS).lost(if_match='"1"').sent(
        if_match='"1"').told(412), "worth_a_look"),
    ("... read: one's own mark", lambda: Now(COND, **BILLS).lost(if_match='"1"').sent(if_match='"1"').told(412).read(
        shown("t1-pay-A-r"), version=2), "applied"),
    ("... read: somebody else's", lambda: Now(COND, **BILLS).lost(if_match='"1"').sent(if_match='"1"').told(412).read(
        shown("x"), version=2), "version_gone"),
    ("a conditional write without an answer", lambda: Now(COND, **BILLS).lost(if_match='"1"'), "protected_by_version"),
    ("a write that depends on what is there, not read yet", lambda: Now(COND, source=DESK, **BILLS),
     "version_undecided"),
    ("428", lambda: Now(COND, source=DESK, **BILLS).sent().told(428), "version_undecided"),
    ("429", lambda: Now().sent().told(429), "not_applied"),
    ("429 with Retry-After", lambda: Now().sent().told(429, {}, {"retry-after": "30"}), "told_to_wait"),
    ("429 with a date", lambda: Now().sent().told(429, {}, {"retry-after": "Thu, 01 Jan 2026 00:00:30 GMT"}),
     "told_to_wait"),
    ("429 with Retry-After: 0", lambda: Now().sent().told(429, {}, {"retry-after": "0"}), "not_applied"),
    ("429 with nonsense", lambda: Now().sent().told(429, {}, {"retry-after": "-3"}), "not_applied"),
    ("429, to come back beyond the budget", lambda: Now(budget=Budget(9, 20, 30)).sent().told(
        429, {}, {"retry-after": "60"}), "spent"),
    ("429 on a resend settles nothing", lambda: Now("strict").lost().sent().told(429), "protected_by_key"),
    ("429 on a resend without a key", lambda: Now().lost().sent().told(429), "worth_a_look"),
    ("401", lambda: Now().sent().told(401), "not_applied"),
    ("421", lambda: Now().sent().told(421), "not_applied"),
    ("425", lambda: Now().sent().told(425), "not_applied"),
    ("400", lambda: Now("strict").sent().told(400), "refused_for_good"),
    ("422", lambda: Now("strict").sent().told(422), "refused_for_good"),
    ("403", lambda: Now("strict").sent().told(403), "forbidden"),
    ("403 on a resend", lambda: Now("strict").lost().sent().told(403), "protected_by_key"),
    ("408", lambda: Now().sent().told(408), "worth_a_look"),
    ("499", lambda: Now().sent().told(499), "worth_a_look"),
    ("500, failures run again", lambda: Now("strict").sent().told(500), "protected_by_key"),
    ("500, the failure is kept under the key", lambda: Now("stripe_v1").sent().told(500), "worth_a_look"),
    ("500, the failure gives the key free", lambda: Now("powertools").sent().told(500), "worth_a_look"),
    ("502, keys honoured", lambda: Now("stripe_v1").sent().told(502), "protected_by_key"),
    ("504, no key", lambda: Now().sent().told(504), "worth_a_look"),
    ("503 with Retry-After, keys honoured", lambda: Now("strict").sent().told(503, {}, {"retry-after": "9"}),
     "told_to_wait"),
    ("503 with Retry-After, no key", lambda: Now().sent().told(503, {}, {"retry-after": "9"}), "worth_a_look"),
    ("503, which the contract says precedes every effect", lambda: Now(
        Contract(name="b", rejects_before_effect=frozenset({503}))).sent().told(503), "not_applied"),
    ("Stripe-Should-Retry: true", lambda: Now("stripe_v1").sent().told(500, {}, {"stripe-should-retry": "true"}),
     "protected_by_key"),
    ("Stripe-Should-Retry: false", lambda: Now("stripe_v1").sent().told(502, {}, {"stripe-should-retry": "false"}),
     "worth_a_look"),
    ("transient-error: true on a refusal", lambda: Now("adyen").sent().told(422, {}, {"transient-error": "true"}),
     "not_applied"),
    ("a redirect", lambda: Now().sent().told(302), "worth_a_look"),
    ("a read shows the effect under one's own reference", lambda: Now().lost().read(shown("t1-pay-A-r")), "applied"),
    ("a read shows an equal effect of somebody else", lambda: Now().lost().read(shown("x")), "worth_a_look"),
    ("a stale read shows nothing", lambda: Now("settle").lost().wait(60).read(ABSENT._replace(fresh=False)),
     "settle_stated"),
    ("a fresh read shows nothing, the first may still run", lambda: Now("settle").lost().read(), "settle_stated"),
    ("a fresh read shows nothing, all has settled", lambda: Now("settle").lost().wait(60).read(), "not_applied"),
    ("two reads show nothing, nothing is stated", lambda: Now().lost().read().wait(9).read(), "still_unknown"),
    ("a status query says not found", lambda: Now("status").lost().read(
        Reveal("", "", "t1-pay-A-r", (), "absent", True), "status"), "not_applied"),
    ("the window is over", lambda: Now("ietf").lost().wait(DAY_S), "worth_a_look"),
    ("the window is over, old keys are refused", lambda: Now("strict").lost().wait(DAY_S), "worth_a_look"),
    ("the window is not stated", lambda: Now(Contract(name="w", key=KeyRules(window_s=None))).lost(), "worth_a_look"),
    ("a cancellation was acknowledged", lambda: Now("cooperative").lost().read(
        Reveal("", "", "t1-pay-A-r", (), "not_ready"), "fence"), "worth_a_look"),
    ("the caller died before the answer", lambda: Now("strict").sent(), "protected_by_key"),
    ("... without a key", lambda: Now().sent(), "worth_a_look"),
    ("a query failed three times with growing waits", lambda: Now().lost().read(None).wait(1).read(None).wait(3)
        .read(None), "still_unknown"),
    ("calls, time or cost are spent and it is still unknown", lambda: Now("strict", budget=Budget(1, 60, 30)).lost(),
     "spent"),
)  # fmt: skip


@pytest.mark.parametrize(("make", "row"), [item[1:] for item in DECISIONS], ids=[item[0] for item in DECISIONS])
def test_the_row_that_answers(make: Callable[[], Now], row: str) -> None:
    assert make().row == row


def test_every_row_answers_something() -> None:
    assert {row for _, _, row in DECISIONS} == {row.name for row in TABLE}


def test_what_was_observed_is_listed_once() -> None:
    observed = [f"{item[0]} -> {item[2]}" for item in DECISIONS if not item[0].startswith("...")]
    assert len(observed) == len(set(observed))
