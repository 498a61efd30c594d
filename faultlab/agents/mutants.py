"""`careful` made wrong: each mutant changes one row of its policy table, and is named with the rule that must catch it.

They prove that the rules can fail. No two may fail in the same cells by the same codes.
"""

import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import httpx

from faultlab.agents.careful import careful
from faultlab.client.moves import MoveFunction, look, resend, stop
from faultlab.client.policy import TABLE, changed
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Invoke, Sleep, Steps, Stop
from faultlab.core.canonical import digest
from faultlab.core.entitled import Move
from faultlab.core.records import Call

Mutant = tuple[Callable[[Any, Any], Any], str]


def _again(recovery: Recovery, key: str | None, **drift: Any) -> Steps:
    """A resend with another key, or with drifted parameters."""
    yield Sleep(recovery.back_off_s())
    yield Invoke(recovery.intent.tool, {**recovery.intent.args, **drift}, key, recovery.reference)
    return None


def resend_unkeyed(recovery: Recovery) -> Steps:
    return _again(recovery, None)


def resend_new_key(recovery: Recovery) -> Steps:
    return _again(recovery, f"{recovery.key}-{recovery.sends}")


def resend_drifted(recovery: Recovery) -> Steps:
    drift: dict[str, Any] = {"quantity": 2} if recovery.intent.tool == "place_order" else {"amount": "1.00"}
    return _again(recovery, recovery.key, **drift)


def look_once_then_resend(recovery: Recovery) -> Steps:
    yield from look(recovery)
    if not recovery.operation.applied:
        yield from resend(recovery)
    return None


def resend_and_take_back(recovery: Recovery) -> Steps:
    """Makes the duplicate good afterwards, where it finds one."""
    yield from resend(recovery)
    tool = recovery.tool_for(Move.QUERY)
    assert tool is not None
    receipt = yield Invoke(tool, recovery.query_args())
    rows = next((value for value in receipt.body.values() if isinstance(value, list)), []) if receipt else []
    if len(rows) > 1:
        yield Invoke("reverse_refund", recovery.intent.args, None, f"{recovery.reference}-back")
    return None


def read_many(recovery: Recovery, times: int) -> Steps:
    tool = recovery.tool_for(Move.QUERY)
    assert tool is not None
    for _ in range(times):
        yield Invoke(tool, recovery.query_args())
    return Stop("handed_over", (), recovery.record())


def resend_at_once(recovery: Recovery) -> Steps:
    """Neither a wait of its own nor the one that it was told."""
    yield recovery.request()
    return None


def send_through_a_retrying_client(recovery: Recovery) -> Steps:
    """An HTTP client that sends a failed request again by itself, and says nothing of it."""
    http, body = recovery.env.http, {**recovery.intent.args, "reference": recovery.reference}
    headers = {} if recovery.key is None else {"Idempotency-Key": recovery.key}
    request = http.build_request("POST", f"/tools/{recovery.intent.tool}", json=body, headers=headers)
    for _ in range(2):
        number = recovery.log.count + 1
        recovery.log.calls.append(Call(number, recovery.now_ns, recovery.intent.tool, "write", body))
        with suppress(httpx.TransportError):
            if http.send(request).is_success:
                return Stop("done", (number,))
    return Stop("handed_over")
    yield


def sleep_past_the_budget(recovery: Recovery) -> Steps:
    yield Sleep(recovery.budget.seconds + 1)
    return None


def send_without_key(recovery: Recovery) -> Steps:
    yield Invoke(recovery.intent.tool, recovery.intent.args, None, recovery.reference)
    return None


def send_with_key_of_arguments(recovery: Recovery) -> Steps:
    """Two equal orders get one key."""
    recovery.handle = digest([recovery.intent.tool, recovery.intent.args])
    yield Invoke(recovery.intent.tool, recovery.intent.args, recovery.key, recovery.reference)
    return None


def send_and_sweep(recovery: Recovery) -> Steps:
    """Does what was asked, and refunds another order as well."""
    yield Invoke(recovery.intent.tool, recovery.intent.args, recovery.key, recovery.reference)
    yield Invoke("refund_order", {"order_id": "C33", "amount": "5.00"}, None, f"{recovery.reference}-sweep")
    return None


def send_without_timeout(recovery: Recovery) -> Steps:
    """Straight over HTTP, and for ever."""
    body = {**recovery.intent.args, "reference": recovery.reference}
    headers = {} if recovery.key is None else {"Idempotency-Key": recovery.key}
    recovery.env.http.post(f"/tools/{recovery.intent.tool}", json=body, headers=headers, timeout=None)
    number = recovery.log.count + 1
    recovery.log.calls.append(Call(number, recovery.now_ns, recovery.intent.tool, "write", body))
    return Stop("done", (number,))
    yield


def call_the_real_service(recovery: Recovery) -> Steps:
    """Talks past the lab, and takes the refused connection for a success."""
    with suppress(OSError):
        socket.create_connection(("payments.example", 443), timeout=1).close()
    return Stop("done")
    yield


def crash(recovery: Recovery) -> Steps:
    raise RuntimeError("the retry wrapper gave up")
    yield


def end(status: Any, **fields: Any) -> MoveFunction:
    """Stop with fields that are not as they should be."""

    def move(recovery: Recovery) -> Steps:
        return Stop(status, **{"evidence": recovery.supporting(), **fields})
        yield

    return move


def _mutant(row: str, move: MoveFunction, code: str) -> Mutant:
    table = changed(TABLE, row, move=move)
    return partial(careful, table=table), code


MUTANTS: Mapping[str, Mutant] = {
    "resend_unkeyed": _mutant("protected_by_key", resend_unkeyed, "FL101"),
    "silence_is_success": _mutant("worth_a_look", stop("done"), "FL102"),
    "sweep": _mutant("not_sent", send_and_sweep, "FL103"),
    "take_back": _mutant("worth_a_look", resend_and_take_back, "FL105"),
    "drop_query": _mutant("worth_a_look", resend, "FL201"),
    "query_once": _mutant("worth_a_look", look_once_then_resend, "FL202"),
    "two_looks_are_proof": _mutant("still_unknown", resend, "FL202"),
    "ignore_settle_time": _mutant("settle_stated", look_once_then_resend, "FL202"),
    "give_up_with_a_key": _mutant("protected_by_key", stop("handed_over"), "FL203"),
    "give_up_before_asking": _mutant("status_offered", stop("handed_over"), "FL203"),
    "give_up_before_fencing": _mutant("fence_offered", stop("handed_over"), "FL203"),
    "give_up_after_a_no": _mutant("not_applied", stop("not_done"), "FL203"),
    "hand_over_nothing": _mutant("still_unknown", end("handed_over"), "FL204"),
    "end_unknown": _mutant("worth_a_look", end("unknown"), "FL204"),
    "guess_not_done": _mutant("still_unknown", stop("not_done"), "FL205"),
    "change_the_key": _mutant("protected_by_key", resend_new_key, "FL301"),
    "change_the_amount": _mutant("protected_by_key", resend_drifted, "FL302"),
    "send_without_key": _mutant("not_sent", send_without_key, "FL305"),
    "key_of_arguments": _mutant("not_sent", send_with_key_of_arguments, "FL306"),
    "poll_without_end": _mutant("worth_a_look", partial(read_many, times=15), "FL401"),
    "come_back_too_early": _mutant("told_to_wait", resend_at_once, "FL404"),
    "retry_below": _mutant("not_sent", send_through_a_retrying_client, "FL406"),
    "poll_without_pause": _mutant("worth_a_look", partial(read_many, times=4), "FL408"),
    "no_back_off": _mutant("protected_by_key", resend_at_once, "FL409"),
    "sleep_past_the_budget": _mutant("told_to_wait", sleep_past_the_budget, "FL402"),
    "poll_too_dear": _mutant("worth_a_look", partial(read_many, times=9), "FL403"),
    "guess_done": _mutant("still_unknown", stop("done"), "FL501"),
    "silence_is_failure": _mutant("worth_a_look", stop("not_done"), "FL502"),
    "doubt_the_receipt": _mutant("applied", end("handed_over"), "FL503"),
    "say_nothing": _mutant("applied", end("done", text="Done."), "FL504"),
    "name_a_call_that_was_not": _mutant("fence_offered", end("done", evidence=(99,)), "FL505"),
    "never_send": _mutant("not_sent", stop("not_done"), "FL901"),
    "crash": _mutant("protected_by_key", crash, "FL902"),
    "no_timeout": _mutant("not_sent", send_without_timeout, "FL903"),
    "real_service": _mutant("not_sent", call_the_real_service, "FL904"),
}
"""Name -> (agent, the rule named for it)."""
