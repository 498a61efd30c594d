"""The law over random histories: a send is charged exactly when no permitted move is what it does.

Histories are drawn record by record, so that they hold what no server of ours would answer. What a send does is told
here in words of its own, not by the functions under test.
"""

from collections.abc import Set as AbstractSet
from typing import Any

from hypothesis import event, given, settings
from hypothesis import strategies as st
from pasts import DAY_S, RICH, Past

from faultlab.core.canonical import canonical
from faultlab.core.charge import charge_send
from faultlab.core.clock import ns
from faultlab.core.contract import Contract, KeyRules
from faultlab.core.entitled import SENDS, Left, Move, entitled
from faultlab.core.history import WriteTerms
from faultlab.core.operation import Operation
from faultlab.core.outcome import outcome_of_response
from faultlab.core.records import Call, Outcome, Reveal

contracts = st.builds(
    Contract,
    name=st.just("any"),
    key=st.none()
    | st.builds(
        KeyRules,
        window_s=st.sampled_from([None, 20.0, 86_400.0]),
        on_expired=st.sampled_from(["execute", "reject"]),
        lease_s=st.sampled_from([None, None, 10.0]),
        replay_header=st.sampled_from([None, "Idempotent-Replayed"]),
        advice_header=st.sampled_from([None, "Stripe-Should-Retry"]),
        save_5xx=st.booleans(),
        frees_on_5xx=st.booleans(),
    ),
    status=st.booleans(),
    fence=st.sampled_from([None, "durable", "cooperative"]),
    settle_s=st.sampled_from([None, 15.0]),
    consistent_reads=st.booleans(),
    precondition=st.sampled_from([None, "honoured", "required"]),
    writers=st.sampled_from(["one", "many"]),
    rejects_before_effect=st.sampled_from([frozenset(), frozenset({503})]),
)
declarations = st.builds(
    WriteTerms,
    identity=st.just(("id",)),
    idempotent=st.booleans(),
    provisional=st.booleans(),
    retryable=st.booleans(),
    versioned=st.sampled_from([None, ("bills", "id")]),
    poll_s=st.sampled_from([None, 2.0]),
)
requests = st.fixed_dictionaries(
    {
        "key": st.sampled_from([None, "k1", "k1", "k1", "k2"]),
        "reference": st.sampled_from([None, "r1", "r1", "r2"]),
        "amount": st.sampled_from([1, 1, 1, 1.0, 2]),
        "scope": st.sampled_from([None, None, None, "far"]),
        "if_match": st.sampled_from([None, None, '"1"', '"1"', '"2"', "*"]),
    }
)
codes = st.sampled_from(["key_mismatch", "key_expired", "cancelled", "in_flight"])
bodies = codes.map(lambda code: {"code": code}) | st.sampled_from([{}, {"operation": "job"}, {"state": "accepted"}])
headers = st.dictionaries(
    st.sampled_from(["retry-after", "stripe-should-retry", "idempotent-replayed"]),
    st.sampled_from(["0", "5", "true", "false", "soon", "Thu, 01 Jan 2026 00:00:30 GMT"]),
    max_size=2,
)
statuses = st.sampled_from([200, 202, 400, 401, 403, 404, 408, 409, 412, 422, 425, 428, 429, 500, 503])
answers = st.none() | st.just("ReadTimeout") | st.just("ConnectError") | st.tuples(statuses, bodies, headers)
"""None: the caller died before one came."""
reveals = st.builds(
    Reveal,
    tool=st.just("pay"),
    identity=st.sampled_from(["A", "A", "A", "B", ""]),
    handle=st.sampled_from([None, None, "k1", "r1", "job"]),
    shown=st.lists(st.sampled_from([None, "r1", "k1", "r9"]), max_size=3).map(tuple),
    answer=st.sampled_from(["present", "absent", "not_ready", "fenced", "failed"]),
    definitive=st.booleans(),
    fresh=st.booleans(),
)
asks = st.tuples(
    st.none() | reveals, st.sampled_from(["read", "read", "status", "fence"]), st.sampled_from([None, None, 1, 2, 3])
)
steps = st.tuples(
    st.sampled_from([0, 0, 1, 6, 16, DAY_S]),
    st.tuples(st.just("send"), requests, answers) | st.tuples(st.just("ask"), asks),
)


def play(past: Past, step: Any, at_s: float) -> None:
    kind, *rest = step
    if kind == "ask":
        reveal, surface, version = rest[0]
        past.ask(at_s, reveal, surface, version=version)
        return
    request, answer = rest
    request = dict(request)
    key = request.pop("key")
    if answer is None:
        past.died(at_s, key, **request)
    elif isinstance(answer, str):
        outcome = Outcome.NOT_APPLIED if answer == "ConnectError" else Outcome.UNKNOWN
        past.send(at_s, outcome, key, error=answer, **request)
    else:
        status, body, given = answer
        terms = past.knowledge.operations[0].terms if past.knowledge.operations else WriteTerms(())
        outcome = outcome_of_response(
            status, body, provisional=terms.provisional, rejects_before_effect=past.contract.rejects_before_effect
        )
        past.send(at_s, outcome, key, status, given, body=body, **request)


def alike(one: Call, other: Call) -> bool:
    """The same request, apart from its handles."""
    return (canonical(one.args), one.if_match, one.scope) == (canonical(other.args), other.if_match, other.scope)


def moves_of(operation: Operation, call: Call, contract: Contract) -> AbstractSet[Move]:
    """Which moves of the table a send is, for an operation of unknown outcome. None of them: it is not the same."""
    pending = [item for item in operation.calls if item.n in operation.open]
    keyed = contract.key is not None and call.key is not None
    bearing = [item for item in pending if item.key == call.key]
    found = set()
    if keyed and bearing and alike(bearing[0], call):
        found.add(Move.SEND_SAME_KEY)
    if all(alike(item, call) for item in pending) and not (keyed and not bearing):
        found.add(Move.SEND_UNKEYED)
        if call.if_match is not None:
            found.add(Move.REPEAT)
    return found


@given(contracts, declarations, st.lists(steps, min_size=1, max_size=7), requests, st.sampled_from([0, 1, 30]))
@settings(max_examples=1500)
def test_a_send_is_charged_exactly_when_it_is_no_permitted_move(
    contract: Contract, declared: WriteTerms, script: list[Any], last: Any, wait_s: float
) -> None:
    past, at_s = Past(contract, declared), 0.0
    for pause_s, step in script:
        at_s += pause_s
        play(past, step, at_s)
    if not past.knowledge.operations:
        return
    request = dict(last)
    call = past.call(at_s + wait_s, request.pop("key"), **request)
    operation = past.knowledge.operation_of(call)
    assert operation is not None
    may = entitled(operation, past.contract, Left.of(RICH, past.sent, ns(at_s + wait_s)), frozenset())
    charge = charge_send(operation, call, past.contract)
    event(f"{operation.knowledge}: {'permitted' if charge is None else charge.code or 'harm only'}")
    assert may.productive <= may.permitted
    if operation.knowledge is Outcome.APPLIED:
        assert charge is not None and not may.permitted & SENDS
    elif operation.knowledge is Outcome.UNKNOWN:
        assert (charge is None) == bool(moves_of(operation, call, past.contract) & may.permitted)
        assert charge is None or charge.code.startswith(("FL2", "FL3"))
        assert past.contract.key is not None or charge is None or charge.code.startswith("FL2")
    elif charge is not None:
        # After a refusal everything but the same again is another request; for want of authority that is refused too.
        assert charge.code == "FL405"
        refused = [item for item in operation.calls if alike(item, call)]
        assert refused or any(answer.status == 403 for answer in operation.receipts.values())
    elif not may.permitted & SENDS:
        assert not alike(operation.calls[-1], call) or len(operation.calls) > 1


@given(contracts, declarations, st.lists(steps, min_size=1, max_size=7))
@settings(max_examples=500)
def test_there_is_always_a_way_to_end_and_none_while_something_productive_is_left(
    contract: Contract, declared: WriteTerms, script: list[Any]
) -> None:
    past, at_s = Past(contract, declared), 0.0
    for pause_s, step in script:
        at_s += pause_s
        play(past, step, at_s)
        for operation in past.knowledge.operations:
            left = Left.of(RICH, past.sent, ns(at_s))
            may = entitled(operation, past.contract, left, frozenset({Move.QUERY, Move.STATUS, Move.FENCE}))
            assert bool(may.stops) != bool(may.productive)
            assert ("done" in may.stops) == (operation.knowledge is Outcome.APPLIED)
            assert operation.knowledge is not Outcome.UNKNOWN or may.stops <= {"handed_over"}
