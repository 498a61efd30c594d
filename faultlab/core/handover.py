"""The records of an operation, from what its caller knows: one home for agents, client, lab and judge."""

from collections.abc import Mapping
from typing import Any

from faultlab.core.canonical import copy_json, digest, label
from faultlab.core.clock import NS, ns
from faultlab.core.operation import Operation
from faultlab.core.records import Call, HandOver


def record_of(operation: Operation) -> HandOver:
    """All that a person needs to finish an operation of unknown outcome. It was sent at least once."""
    last, receipt = operation.calls[-1], operation.last_receipt
    said = "no receipt" if receipt is None else receipt.error or str(receipt.status)
    reads = tuple(dict.fromkeys(read.call for read in operation.reads))
    handle = last.key or last.reference
    return HandOver(operation.label, handle, digest(last.args), last.scope, operation.calls[0].t, said, reads)


def sent_name(operation: str) -> str:
    """The name in `env.store` under which a caller keeps what it sent for the operation of this label."""
    return f"sent/{operation}"


def sent_record(call: Call, ordinal: int = 1, first_ns: int | None = None) -> tuple[str, dict[str, Any]]:
    """Name and content of that entry, in plain JSON; it is written before the call leaves.

    `first_ns`: when the operation was first sent, where that was an earlier call.
    """
    condition = {} if call.if_match is None else {"if_match": call.if_match}
    return sent_name(label(call.tool, call.identity, ordinal)), {
        **condition,
        "tool": call.tool,
        "args": copy_json(dict(call.args)),
        "key": call.key,
        "reference": call.reference,
        "scope": call.scope,
        "first_sent_s": (call.t if first_ns is None else first_ns) / NS,
    }


def sent_call(record: Mapping[str, Any], identity: str) -> Call:
    """The call of which an entry tells. It was made in an earlier life of the caller: its number is below 1."""
    return Call(
        -1,
        ns(record["first_sent_s"]),
        record["tool"],
        "write",
        record["args"],
        identity,
        record["key"],
        record["reference"],
        record.get("if_match"),
        record["scope"],
    )
