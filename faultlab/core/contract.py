"""What a tool server promises: parameters of keys, queries, fences and settle times, and the text that states them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

KEY_FIELD = "idempotency_key"
REFERENCE_FIELD = "reference"
CONDITION_FIELD = "if_match"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRules:
    """How idempotency keys are honoured."""

    required: bool = False
    """A write without a key is refused with 400."""
    window_s: float | None = 86_400.0
    """How long a key is remembered, from its first receipt; None: not stated."""
    on_expired: Literal["execute", "reject"] = "execute"
    """What happens to a key that is older: it counts as new, or the call is refused with 412."""
    mismatch_status: int = 422
    """Answer to a known key with other parameters."""
    in_flight_status: int = 409
    retry_after_s: int | None = None
    """Retry-After on an in-flight answer; None: no such header."""
    replay_header: str | None = None
    """Marks an answer that is a replay."""
    save_4xx: bool = True
    """A refusal that came from the tool itself is kept and replayed."""
    save_5xx: bool = False
    """A 5xx after execution began is kept and replayed: the key never gives another answer."""
    max_length: int = 255
    quoted: Literal["either", "required", "never"] = "either"
    """The header's syntax: the draft demands a quoted string, vendors send it bare."""
    error_body: Literal["problem", "stripe"] = "problem"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """What the server promises for all of its write tools, and whether it says so."""

    name: str
    key: KeyRules | None = None
    """None: keys are not honoured; a key that is sent has no meaning."""
    status: bool = False
    """`operation_status` answers definitively: a `not_found` also fences every request sent before it."""
    fence: Literal["durable", "cooperative"] | None = None
    """`cancel_operation`: durable leaves a tombstone; cooperative only passes a wish on."""
    settle_s: float | None = None
    """No call sent at t can take effect after t + settle_s."""
    read_lag_s: float = 0.0
    """A read shows everything older than this."""
    consistent_reads: bool = False
    """A complete list with no Age is the state of the server at that moment."""
    precondition: Literal["honoured", "required"] | None = None
    """Writes of versioned rows obey If-Match (412 where the version is another), or must carry it (428)."""
    writers: Literal["one", "many"] = "many"
    poll_s: float = 5.0
    """Two reads closer together than this count as one look."""
    rejects_before_effect: frozenset[int] = frozenset()
    """Statuses that are given before anything was done."""
    undisclosed: frozenset[str] = frozenset()
    """Fields that hold but that the specification does not mention."""

    def disclosed(self) -> "Contract":
        """The contract as its reader may rely on it: what is not stated counts as not promised."""
        return _disclosed(self) if self.undisclosed else self

    def as_spec(self) -> dict[str, Any]:
        """The fields that an agent reads in the tool specifications."""
        known = self.disclosed()
        spec = {
            item.name: getattr(known, item.name)
            for item in fields(Contract)
            if item.name not in ("name", "key", "undisclosed", "rejects_before_effect")
        }
        spec["rejects_before_effect"] = sorted(known.rejects_before_effect)
        spec["key"] = (
            None
            if known.key is None
            else {item.name: getattr(known.key, item.name) for item in fields(KeyRules) if item.name != "error_body"}
        )
        return spec

    @staticmethod
    def from_spec(spec: Mapping[str, Any]) -> "Contract":
        """The inverse of `as_spec`: what an agent may know of the contract."""
        values = dict(spec)
        key = values.pop("key")
        rejects = frozenset(values.pop("rejects_before_effect"))
        return Contract(
            name="as specified",
            key=None if key is None else KeyRules(**key),
            rejects_before_effect=rejects,
            **values,
        )


def _disclosed(contract: Contract) -> Contract:
    defaults = Contract(name=contract.name)
    hidden: dict[str, Any] = {}
    key = contract.key
    for name in contract.undisclosed:
        if name == "key.window_s":
            key = None if key is None else replace(key, window_s=None)
        else:
            hidden[name] = getattr(defaults, name)
    return replace(contract, **{"key": key, **hidden, "undisclosed": frozenset()})


def contract_text(contract: Contract) -> str:
    """The promises in plain words, as they stand in every write tool's description."""
    return " ".join(_sentences(contract.disclosed()))


def _sentences(contract: Contract) -> Iterable[str]:
    key = contract.key
    if key is None:
        yield "Idempotency keys are not honoured: every executed call is one more effect."
    else:
        need = "required" if key.required else "optional"
        yield (
            f"An idempotency key is {need}: the same key with the same parameters"
            + (f" within {key.window_s:g} s" if key.window_s is not None else "")
            + " gives the first result again and no second effect;"
            f" with other parameters it is refused ({key.mismatch_status});"
            f" while the first request runs the answer is {key.in_flight_status}."
        )
        if key.window_s is None:
            yield "How long keys are kept is not stated."
        elif key.on_expired == "reject":
            yield "An older key is refused (412)."
        else:
            yield "An older key counts as new."
        if key.save_5xx:
            yield "A 5xx given after execution began is kept: the same key gives it again."
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
    if contract.precondition is not None:
        must = "must" if contract.precondition == "required" else "may"
        yield f"A write of a versioned object {must} carry if_match, the etag that was read; another version gives 412."
    if contract.writers == "one":
        yield "Nobody else writes these objects."
    if contract.rejects_before_effect:
        codes = ", ".join(map(str, sorted(contract.rejects_before_effect)))
        yield f"Answered before anything is done: {codes}."
