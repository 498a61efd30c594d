"""The hand-over record of an operation, from what its caller knows: one home for agents, client, lab and judge."""

from faultlab.core.canonical import digest
from faultlab.core.knowledge import Operation
from faultlab.core.records import HandOver


def record_of(operation: Operation) -> HandOver:
    """All that a person needs to finish an operation of unknown outcome. It was sent at least once."""
    last, receipt = operation.calls[-1], operation.last_receipt
    said = "no receipt" if receipt is None else receipt.error or str(receipt.status)
    reads = tuple(dict.fromkeys(read.call for read in operation.reads))
    handle = last.key or last.reference
    return HandOver(operation.label, handle, digest(last.args), last.scope, operation.calls[0].t, said, reads)
