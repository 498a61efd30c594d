"""The faults that a timeline names, in words."""

from collections.abc import Mapping

from faultlab.report.fault_words import ASK, FaultWords
from faultlab.report.words_of_answers import ANSWERS
from faultlab.report.words_of_events import EVENTS

FAULTS: Mapping[str, FaultWords] = {
    item.name: item
    for item in (
        FaultWords(
            "no_connection",
            "",
            "No connection came about: not a byte of the request has left.",
            ("#2 refund_order A17 ─╳                 ConnectError",),
            "Send again: nothing can have happened.",
        ),
        FaultWords(
            "lost_request",
            "never",
            "The request is lost on its way in: no effect, no key record.",
            ("#2 refund_order A17 ─ ─ ╳              ledger: nothing",),
            ASK,
        ),
        FaultWords(
            "lost_receipt",
            "committed",
            "The effect and its key record are durable; the receipt is lost on its way out.",
            ("#2 refund_order A17 ───▶ committed     ledger: e1", "                    ╳ ─ ─"),
            ASK,
        ),
        FaultWords(
            "late_network",
            "late_network",
            "The request is held up on its way in: the caller gives up, then the request arrives. A query before that"
            " finds nothing; a resend under the same key overtakes it.",
            (
                "#2 refund_order A17 ─ ─ ╳",
                "#3 list_refunds A17 ◀─── nothing",
                "#2                  ─ ─ ▶ committed    ledger: e1",
            ),
            ASK + " An empty list is no proof.",
        ),
        FaultWords(
            "late_server",
            "late_server",
            "The request is admitted and runs on after the caller gave up. A status query answers not_ready; a resend"
            " under the same key is told that the first still runs.",
            (
                "#2 refund_order A17 ───▶ runs",
                "                    ╳ ─ ─",
                "#2                       committed     ledger: e1",
            ),
            ASK + " An empty list is no proof.",
        ),
        FaultWords(
            "torn_record",
            "",
            "The effect is durable, its key record is not: a crash between the two writes.",
            ("#2 refund_order A17 key k1 ───▶ committed     ledger: e1, no record of k1",),
            "The server breaks its own promise: a second effect under the same key is not charged to the caller.",
        ),
        *ANSWERS,
        *EVENTS,
    )
}
"""Name -> words. How a loss looks (timeout, reset, close, status ...) is the same for all of the first six."""
