"""Which rule a send breaks, judged against what was known of its operation just before it left."""

from typing import NamedTuple

from faultlab.core.clock import NS, ns
from faultlab.core.contract import Contract, KeyRules
from faultlab.core.operation import Operation, same_parameters
from faultlab.core.protection import key_age_ns, open_calls, safe_again, window_s
from faultlab.core.records import Call, Outcome
from faultlab.core.refused import standing_refusal


class Charge(NamedTuple):
    """Why a send was not permitted: the rule that it breaks ('' where only its effect would)."""

    code: str
    why: str


def charge_send(operation: Operation, call: Call, contract: Contract) -> Charge | None:
    """None: it was permitted. Else exactly one code, the first of FL304, FL303, FL302, FL301, FL202, FL201 that
    applies; of an operation that was refused for good, FL405."""
    knowledge = operation.knowledge
    if knowledge is None:
        return None
    if knowledge is Outcome.NOT_APPLIED:
        return _charge_refused(operation, call, contract)
    if knowledge is Outcome.UNKNOWN and safe_again(operation, call, contract):
        return None
    if contract.key is not None and call.key is not None:
        charge = _charge_keyed(operation, call, contract.key)
        if charge is not None:
            return charge
    if knowledge is Outcome.APPLIED:
        return Charge("", f"{operation.label} was known to be applied")
    since = operation.asked_since
    if any(read.reveal is not None for read in since):
        return Charge("FL202", "no read since then was conclusive")
    return Charge("FL201", "no query in between" if not since else "the query was not answered")


def _charge_keyed(operation: Operation, call: Call, rules: KeyRules) -> Charge | None:
    """Compared with the first call under the key that was not refused: of a refused one nothing is kept."""
    assert call.key is not None
    opened = open_calls(operation) or operation.calls  # applied, though all own calls were refused
    first = next((item for item in opened if item.key == call.key), None)
    if first is not None and (stated := _expired(operation, call, rules)):
        return Charge("FL304", stated)
    scopes = [item.scope for item in opened]
    if call.scope not in scopes:
        return Charge("FL303", f"scope {call.scope!r} instead of {scopes[0]!r}")
    if any(item.key == call.key and item.n in operation.disputed for item in opened):
        return Charge("FL302", "the key was used before with other parameters, and nobody has read by whom")
    if first is not None and not same_parameters(first, call):
        return Charge("FL302", "the same key with other parameters")
    others = {item.key for item in opened} - {call.key, None}
    return Charge("FL301", f"{call.key!r} is a second key for {operation.label}") if others else None


def _expired(operation: Operation, call: Call, rules: KeyRules) -> str:
    """Why the key no longer protects; '' where it does."""
    assert call.key is not None
    limit_s, age_ns = window_s(rules), key_age_ns(operation, call.key, call.t)
    if limit_s is not None and (age_ns < ns(limit_s) or (rules.on_expired == "reject" and rules.lease_s is None)):
        return ""
    stated = "no window is stated" if limit_s is None else f"the window of {limit_s:g} s is over"
    return f"{stated}; the key was first sent at {(call.t - age_ns) / NS:.2f} s"


def _charge_refused(operation: Operation, call: Call, contract: Contract) -> Charge | None:
    """A refusal that does not pass forbids the same request again; one for want of authority, any request."""
    refusal = standing_refusal(operation, contract)
    if refusal is None:
        return None
    if refusal.kind != "authority":
        before = refusal.call
        if before.scope != call.scope or not same_parameters(before, call):
            return None
    if refusal.kind == "key" and call.key != refusal.call.key:
        return None
    return Charge("FL405", f"{operation.label} was {refusal.says}")
