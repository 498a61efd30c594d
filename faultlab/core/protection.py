"""What makes a second sending safe while the first one's outcome is unknown: a key, a condition, or idempotency.

Sources: Idempotency-Key draft-07 sections 2.2 and 2.5.1; RFC 9110 sections 9.2.2 and 13.1.1; Powertools for AWS
Lambda, Idempotency (a record that is deleted on failure, a lease).
"""

from faultlab.core.clock import ns
from faultlab.core.contract import Contract, KeyRules
from faultlab.core.operation import Operation, in_progress, is_replay, same_parameters
from faultlab.core.records import Call, Receipt
from faultlab.core.refused import advice
from faultlab.core.versions import is_one_strong_tag


def open_calls(operation: Operation) -> list[Call]:
    """The calls that may still have, or come to have, an effect."""
    return [call for call in operation.calls if call.n in operation.open]


def key_in_use(operation: Operation) -> str | None:
    """The key that every call bears, in one scope, which may still have an effect; None where they share none."""
    keys = {(call.key, call.scope) for call in operation.calls if call.n in operation.open}
    return keys.pop()[0] if len(keys) == 1 else None


def key_age_ns(operation: Operation, key: str, now_ns: int) -> int:
    """Since the first own send under the key, refused or not: the server may have remembered it."""
    return now_ns - next(call.t for call in operation.calls if call.key == key)


def window_s(rules: KeyRules) -> float | None:
    """For how long a key surely protects. A request that outlives its lease no longer holds its key."""
    if rules.window_s is None or rules.lease_s is None:
        return rules.window_s
    return min(rules.window_s, rules.lease_s)


def protected(operation: Operation, contract: Contract, now_ns: int) -> bool:
    """A resend under the same key, with the same parameters, can have no second effect now."""
    rules = contract.key
    if rules is None or (limit_s := window_s(rules)) is None or (key := key_in_use(operation)) is None:
        return False
    if operation.disputed & operation.open or freed(operation, rules):
        return False
    return key_age_ns(operation, key, now_ns) < ns(limit_s)


def freed(operation: Operation, rules: KeyRules) -> bool:
    """The server failed, and a failure gives the key free, whatever was done before it."""
    return rules.frees_on_5xx and any((answer.status or 0) >= 500 for answer in open_answers(operation))


def open_answers(operation: Operation) -> list[Receipt]:
    """The receipts that left a call's outcome open."""
    return [receipt for number, receipt in operation.receipts.items() if number in operation.open]


def expired_but_rejected(operation: Operation, contract: Contract, now_ns: int) -> bool:
    """The key is too old, and the contract says that old keys are refused: a resend is harmless and useless."""
    rules = contract.key
    if rules is None or rules.window_s is None or rules.on_expired != "reject" or rules.lease_s is not None:
        return False
    if operation.disputed & operation.open or freed(operation, rules):
        return False
    key = key_in_use(operation)
    return key is not None and key_age_ns(operation, key, now_ns) >= ns(rules.window_s)


def saved_failure(operation: Operation, contract: Contract) -> bool:
    """The server keeps a 5xx under the key: sending again gives the same 5xx and settles nothing."""
    rules = contract.key
    if rules is None or not rules.save_5xx or not operation.calls:
        return False
    last = operation.calls[-1]
    alike = {call.n for call in operation.calls if (call.key, call.scope) == (last.key, last.scope)}
    return any(
        (answer.status or 0) >= 500
        and (is_replay(answer, contract) or answer.status == 500)
        and advice(answer, contract) is not True
        for number, answer in operation.receipts.items()
        if number in alike
    )


def only_promised(operation: Operation) -> bool:
    """A server has accepted it: the same request again gives the same promise, and no result."""
    return any(in_progress(answer) for answer in open_answers(operation))


def promised(operation: Operation) -> bool:
    """A server had accepted a request with the last key: under it the promise is what is remembered."""
    last = operation.calls[-1]
    return any(in_progress(operation.receipts.get(call.n)) for call in operation.calls if call.key == last.key)


def condition_in_use(operation: Operation, contract: Contract) -> str | None:
    """The If-Match that every open call bears, where the server obeys it: versions are never used twice, so at most
    one of them, and of their repetitions, can have an effect. None where nothing of the kind holds."""
    if contract.precondition is None or operation.terms.versioned is None:
        return None
    named = {(call.if_match, call.scope) for call in open_calls(operation)}
    condition = named.pop()[0] if len(named) == 1 else None
    return condition if condition is not None and is_one_strong_tag(condition) else None


def condition_failed(operation: Operation, condition: str) -> bool:
    """The server has said of this condition that it does not hold: repeating it tells nothing more."""
    answers = operation.receipts
    return any(
        call.if_match == condition and call.n in answers and answers[call.n].status == 412 for call in operation.calls
    )


def harmless_again(operation: Operation, contract: Contract) -> bool:
    """The tool says that calling again leaves the same state, and nobody else writes it."""
    if not operation.terms.idempotent or contract.writers != "one":
        return False
    first, *others = open_calls(operation)
    return all(same_parameters(first, call) and first.scope == call.scope for call in others)


def safe_again(operation: Operation, call: Call, contract: Contract) -> bool:
    """Whether this send of an operation of unknown outcome can have no second effect."""
    opened = open_calls(operation)
    first = next((item for item in opened if item.key == call.key), opened[0])
    if call.scope != first.scope or not same_parameters(first, call):
        return False
    if call.key is not None and call.key == key_in_use(operation):
        now_ns = call.t
        if protected(operation, contract, now_ns) or expired_but_rejected(operation, contract, now_ns):
            return True
    if contract.key is not None and call.key not in {None, *(item.key for item in opened)}:
        return False  # a second key is a second intent, whatever else holds
    if condition_in_use(operation, contract) is not None:
        return all(same_parameters(item, call) for item in opened)
    return harmless_again(operation, contract)
