"""What a tool server promises: parameters of keys, queries, fences and settle times."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from faultlab.core.errors import BadInput

KEY_FIELD = "idempotency_key"
REFERENCE_FIELD = "reference"
CONDITION_FIELD = "if_match"

ErrorForm = Literal["problem", "stripe", "ec2", "dynamodb", "oasis", "powertools", "adyen", "google"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRules:
    """How idempotency keys are honoured."""

    required: bool = False
    """A write without a key is refused with 400."""
    carrier: str = "header Idempotency-Key"
    """Where the key travels over HTTP: `header NAME` or `body FIELD`. Directly called tools take `idempotency_key`."""
    first_sent_header: str | None = None
    """An HTTP date that must come with the key, and only with it: when the client first sent the request."""
    scope: Literal["account", "tool", "region"] = "account"
    """What a key is unique within: the account, each tool, or each value of the tool's scope argument."""
    compares: Literal["all", "none"] | tuple[str, ...] = "all"
    """What must be equal under a known key: tool and parameters, nothing, or these parameters."""
    window_s: float | None = 86_400.0
    """How long a key is remembered; None: not stated."""
    window_from: Literal["receipt", "completion", "first_sent", "resource_end"] = "receipt"
    """When the window begins: the first receipt, the end of the first request, the time that the client states, or
    the end of the resource that was made."""
    on_expired: Literal["execute", "reject"] = "execute"
    """What happens to a key that is older: it counts as new, or the call is refused with 412."""
    mismatch_status: int = 422
    """Answer to a known key with other parameters."""
    in_flight_status: int = 409
    lease_s: float | None = None
    """A request that still runs after this gives its key free; None: never."""
    retry_after_s: int | None = None
    """Retry-After on an in-flight answer; None: no such header."""
    advice_header: str | None = None
    """Says `true` or `false` on a failure: whether the same request is worth sending again. It overrides the status."""
    replay_header: str | None = None
    """Marks an answer that is a replay."""
    result_header: str | None = None
    """Says `accepted` or `rejected` on each answer to a keyed request: whether it, or its first one, was executed."""
    echoes_key: bool = False
    """Each answer to a keyed request carries the key again, where it travelled."""
    replay_body: Literal["original", "updated"] = "original"
    """A replay shows the first result, or what became of it."""
    save_4xx: bool = True
    """A refusal that came from the tool itself is kept and replayed."""
    save_5xx: bool = False
    """A 5xx after execution began is kept and replayed: the key never gives another answer."""
    frees_on_5xx: bool = False
    """A 5xx that came after the effect gives the key free: it runs again. Else the result is kept with the effect."""
    max_length: int = 255
    quoted: Literal["either", "required", "never"] = "either"
    """A header's syntax: the draft demands a quoted string, vendors send it bare."""
    error_body: ErrorForm = "problem"
    """The form of a refusal: RFC 9457, or the vendor's own."""

    def __post_init__(self) -> None:
        if isinstance(self.compares, list):  # as JSON and YAML have it
            object.__setattr__(self, "compares", tuple(self.compares))
        place, _, name = self.carrier.partition(" ")
        if place not in ("header", "body") or not name or " " in name:
            raise BadInput(f"key.carrier is 'header NAME' or 'body FIELD', not {self.carrier!r}")
        if (self.window_from == "first_sent") != (self.first_sent_header is not None):
            raise BadInput("key.window_from: first_sent goes with a key.first_sent_header, and only with one")


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
            else {item.name: _plain(getattr(known.key, item.name)) for item in fields(KeyRules)}
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


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


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
