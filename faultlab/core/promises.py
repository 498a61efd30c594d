"""The promises of a contract in plain words, as they stand in every write tool's description."""

from collections.abc import Iterable, Mapping

from faultlab.core.contract import KEY_FIELD, Contract, ErrorForm, KeyRules

SCOPES = {
    "account": "Keys are unique within the account: one key means one request, whichever tool it is for.",
    "tool": "Each tool has keys of its own.",
    "region": "Each region has keys of its own: the same key elsewhere is another request.",
}
STARTS = {
    "receipt": "its first receipt",
    "completion": "the end of its first request",
    "first_sent": "the time stated as first sent",
    "resource_end": "the end of what was made under it",
}
FORMS: Mapping[ErrorForm, str] = {
    "problem": "problem details (RFC 9457)",
    "stripe": "Stripe's error objects",
    "ec2": "EC2's lists of errors",
    "dynamodb": "DynamoDB's exceptions",
    "oasis": "OData error objects",
    "powertools": "Lambda's error objects",
    "adyen": "Adyen's error objects",
    "google": "google.rpc.Status objects",
}
QUOTES = {"either": ", quoted or bare", "required": ", quoted", "never": ", bare"}


def contract_text(contract: Contract) -> str:
    """All that is disclosed, one sentence a promise."""
    return " ".join(_sentences(contract.disclosed()))


def _sentences(contract: Contract) -> Iterable[str]:
    key = contract.key
    if key is None:
        yield "Idempotency keys are not honoured: every executed call is one more effect."
    else:
        yield from _honoured(key)
        yield from _carried(key)
        yield from _remembered(key)
        yield from _kept(key)
        yield from _marked(key)
    yield "A reference is stored with the effect and shown by queries; it does not prevent a second effect."
    if contract.status:
        yield "operation_status answers definitively; not_found also bars every request sent before it."
    if contract.fence == "durable":
        yield "cancel_operation bars for good what has not run; the answer says applied if it was too late."
    elif contract.fence == "cooperative":
        yield "cancel_operation passes on a wish; the operation may still take effect."
    if contract.settle_s is not None:
        yield f"No call takes effect later than {contract.settle_s:g} s after it was sent."
    if contract.consistent_reads:
        lag = f" up to {contract.read_lag_s:g} s ago" if contract.read_lag_s else ""
        yield f"Lists are complete and show everything{lag}."
    elif contract.read_lag_s:
        yield f"A read shows everything older than {contract.read_lag_s:g} s."
    yield f"Two reads less than {contract.poll_s:g} s apart tell as much as one."
    if contract.precondition is not None:
        must = "must" if contract.precondition == "required" else "may"
        yield f"A write of a versioned object {must} carry if_match, the etag that was read; another version gives 412."
    if contract.writers == "one":
        yield "Nobody else writes these objects."
    if contract.rejects_before_effect:
        codes = ", ".join(map(str, sorted(contract.rejects_before_effect)))
        yield f"Answered before anything is done: {codes}."


def _honoured(key: KeyRules) -> Iterable[str]:
    """What a known key does."""
    need = "required" if key.required else "optional"
    within = f" within {key.window_s:g} s" if key.window_s is not None else ""
    if key.compares == "none":
        asked, other = "", " whatever the parameters: they are not compared;"
    elif key.compares == "all":
        asked, other = " with the same parameters", f" with other parameters it is refused ({key.mismatch_status});"
    else:
        names = ", ".join(key.compares)
        asked, other = f" with the same {names}", f" with another {names} it is refused ({key.mismatch_status});"
    yield (
        f"An idempotency key is {need}: the same key{asked}{within} gives the first result again and no second"
        f" effect;{other} while the first request runs the answer is {key.in_flight_status}."
    )
    if key.retry_after_s is not None:
        yield f"That answer carries Retry-After: {key.retry_after_s}."
    if key.lease_s is not None:
        yield f"A request that still runs after {key.lease_s:g} s no longer holds its key: the same key runs again."


def _carried(key: KeyRules) -> Iterable[str]:
    """Where it travels, and in what form."""
    place, _, name = key.carrier.partition(" ")
    form = QUOTES[key.quoted] if place == "header" else ""
    yield (
        f"Over HTTP the key is the {place} {'field ' if place == 'body' else ''}{name}{form}, 1 to {key.max_length}"
        f" characters; as a function the tool takes it as {KEY_FIELD}."
    )
    if key.first_sent_header is not None:
        yield (
            f"With it, and only with it, goes {key.first_sent_header}, an HTTP date: when the request was first sent."
            " A resend repeats it."
        )
    yield SCOPES[key.scope]


def _remembered(key: KeyRules) -> Iterable[str]:
    """For how long."""
    if key.window_s is None:
        yield "How long keys are kept is not stated."
        return
    yield f"A key's time begins with {STARTS[key.window_from]}."
    yield "An older key is refused (412)." if key.on_expired == "reject" else "An older key counts as new."


def _kept(key: KeyRules) -> Iterable[str]:
    """What becomes of a first request that failed."""
    if key.save_4xx:
        yield "A refusal given after execution began is kept: the same key gives it again."
    else:
        yield "A refusal is not kept: the same key tries again."
    if key.save_5xx:
        yield "A 5xx given after execution began is kept: the same key gives it again."
    elif key.frees_on_5xx:
        yield "A 5xx gives the key free, also where the effect was made: the same key then makes a second one."
    else:
        yield "A 5xx is not kept: the same key tries again, and gives the result where the effect was made."


def _marked(key: KeyRules) -> Iterable[str]:
    """What an answer shows of it."""
    if key.replay_body == "updated":
        yield "A replay shows the present state of what was made, not the first body."
    if key.replay_header is not None:
        yield f"A replay carries {key.replay_header}: true."
    if key.result_header is not None:
        yield (
            f"Every answer to a keyed request carries {key.result_header}: accepted if it or an earlier one with the"
            " key was executed, rejected if this one was not and changed nothing."
        )
    if key.echoes_key:
        yield "Every answer to a keyed request carries the key."
    yield f"Refusals of a key are {FORMS[key.error_body]}."
    if key.advice_header is not None:
        yield f"{key.advice_header}: true or false on a failure says whether to send it again, whatever the status."
