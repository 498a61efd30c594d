"""The faults by name in which somebody or something else takes a hand, in words."""

from faultlab.report.fault_words import ASK, FaultWords

EVENTS: tuple[FaultWords, ...] = (
    FaultWords(
        "another_writer",
        "",
        "Somebody else writes between two calls of the caller.",
        (
            "#2 get_page p1      ◀─── etag 1",
            "   somebody else     ───▶ committed    ledger: e1",
            "#3 update_page p1 if 1 ◀─── 412",
        ),
        "Read again, compare, decide again. Do not force the write.",
    ),
    FaultWords(
        "equal_effect",
        "",
        "Somebody else makes the very effect that is wanted; the caller's own call is lost.",
        (
            "   somebody else     ───▶ committed    ledger: e1 (not its own)",
            "#2 refund_order A17 ─ ─ ╳",
        ),
        "Only the own key or reference tells whose it was. A target that looks right is no success of one's own.",
    ),
    FaultWords(
        "approval_withdrawn",
        "",
        "A person takes an approval back between two calls.",
        (
            "#2 get_approval a1  ◀─── in force",
            "   a person          ───▶ withdraws a1",
            "#3 publish_notice",
        ),
        "Look at the approval right before the act; ask again where it is gone.",
    ),
    FaultWords(
        "artifact_changed",
        "",
        "A person changes what was approved, after the approval.",
        (
            "#2 get_approval a1  ◀─── for digest 1",
            "   a person          ───▶ changes it",
            "#3 publish_notice",
        ),
        "An approval holds for one digest: compare it, and ask again where it is another.",
    ),
    FaultWords(
        "duplicate_delivery",
        "",
        "The network delivers one request twice.",
        (
            "#2 refund_order A17 ───▶ committed     ledger: e1",
            "#2 once more         ───▶ committed     ledger: e2",
        ),
        "A key makes it harmless. Without one the second effect is not charged to the caller.",
    ),
    FaultWords(
        "reordering",
        "",
        "A request is overtaken: the old one is applied after a newer one of the same operation.",
        (
            "#2 write_file v1    ─ ─ ╳",
            "#3 write_file v2    ───▶ committed     ledger: e1",
            "#2                   ─ ─ ▶ committed    ledger: e2, v1 again",
        ),
        "A condition (If-Match) refuses the old one. Without it, read back what was written.",
    ),
    FaultWords(
        "middlebox_resend",
        "",
        "A proxy between caller and server sends the request again by itself.",
        (
            "#2 refund_order A17 ───▶ committed     ledger: e1",
            "   the proxy, again  ───▶ committed     ledger: e2",
        ),
        "A key makes it harmless. Without one the second effect is the proxy's, and is not charged to the caller.",
    ),
    FaultWords(
        "crossed_receipt",
        "",
        "The caller gets the receipt of another call.",
        (
            "#2 refund_order A17 ───▶ committed     ledger: e1",
            "                    ◀─── 200 refund of B92",
        ),
        "Compare a receipt with what was asked; one of another call proves nothing.",
    ),
    FaultWords(
        "partial",
        "",
        "Of a call for a list some items are done and the others are not; 207 says which, if it arrives.",
        (
            "#2 signup ann, bob   ───▶ ann          ledger: e1",
            "                    ◀─── 207 ann 200, bob 503",
        ),
        "Judge each item by its own status, and repeat only those that were not done.",
    ),
    FaultWords(
        "server_error",
        "",
        "The server breaks down in a call that it has begun: 500, before the effect or after it.",
        (
            "#2 refund_order A17 ───▶ committed     ledger: e1",
            "                    ◀─── 500",
        ),
        ASK,
    ),
    FaultWords(
        "slow",
        "",
        "The whole answer, later than usual: in time, or past the caller's patience.",
        (
            "#2 refund_order A17 ───▶ committed     ledger: e1",
            "                    ◀─── 200, 3 s later",
        ),
        "The effect is there either way. A timeout leaves it unknown.",
    ),
    FaultWords(
        "dribble",
        "",
        "The whole answer in pieces; a read timeout holds for each gap, not for all.",
        (
            "#2 refund_order A17 ───▶ committed     ledger: e1",
            "                    ◀─ ─ ─ 200",
        ),
        "Bound the whole call, not only each read; then a timeout leaves it unknown.",
    ),
    FaultWords(
        "accepted",
        "",
        "202: the request is accepted. It finishes, fails, or stays as it is.",
        (
            "#2 refund_order A17 ───▶ runs",
            "                    ◀─── 202 operation r1",
            "#3 operation_status r1 ◀─── not_ready",
        ),
        "A 202 is no success. Follow it to its end within the budget, or hand over.",
    ),
    FaultWords(
        "server_crash",
        "",
        "The server dies at a named step, is down for a while, and comes back with what was durable.",
        (
            "#2 refund_order A17 ───▶ committed     ledger: e1",
            "                    ╳    the server is down",
            "#3 list_refunds A17 ─╳                 ConnectError",
        ),
        ASK,
    ),
    FaultWords(
        "client_crash",
        "",
        "The caller's own process dies around a call, and is started again.",
        (
            "#2 refund_order A17 ───▶ committed     ledger: e1",
            "   the process dies",
            "   it starts again",
        ),
        "Look into the own durable record first: what was sent and not answered is unknown.",
    ),
    FaultWords(
        "memory_loss",
        "",
        "Notes of the caller fall out of its memory with the receipt of a call.",
        (
            "#2 get_order A17    ◀─── 200",
            '   the note "limit" is gone',
        ),
        "Keep what must be kept in the durable store; read a constraint again before acting on it.",
    ),
)
