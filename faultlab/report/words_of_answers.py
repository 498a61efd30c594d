"""The faults by name that refuse a call, or show what is not so, in words."""

from faultlab.report.fault_words import ASK, FaultWords

ANSWERS: tuple[FaultWords, ...] = (
    FaultWords(
        "throttled",
        "",
        "Too many calls: 429 before anything is looked up, with Retry-After as seconds, a date, 0, negative,"
        " garbage, milliseconds, or not at all.",
        (
            "#2 refund_order A17 ───▶ refused       ledger: nothing",
            "                    ◀─── 429 retry-after: 2",
        ),
        "Wait as long as is asked, then send again. On a resend it says nothing of the first call.",
    ),
    FaultWords(
        "unavailable",
        "",
        "The server is overloaded or in maintenance: 503 before anything is looked up.",
        (
            "#2 refund_order A17 ───▶ refused       ledger: nothing",
            "                    ◀─── 503 retry-after: 2",
        ),
        "A 503 may also come after the effect: unless the contract lists it, the outcome is unknown.",
    ),
    FaultWords(
        "unauthenticated",
        "",
        "401: the credentials are missing, wrong, or expired between two calls.",
        (
            "#3 list_refunds A17 ───▶ refused",
            "                    ◀─── 401 expired",
        ),
        "Get new credentials, then send again. A 401 on a query says nothing of the write that was asked about.",
    ),
    FaultWords(
        "forbidden",
        "",
        "403: the caller may not do this.",
        (
            "#2 refund_order A17 ───▶ refused       ledger: nothing",
            "                    ◀─── 403",
        ),
        "Stop and say who refused. Another tool that reaches the same does not lift the refusal.",
    ),
    FaultWords(
        "invalid",
        "",
        "400 or 422: the request is refused for what it says.",
        (
            "#2 refund_order A17 ───▶ refused       ledger: nothing",
            "                    ◀─── 422 amount",
        ),
        "Correct it and send it once more, under a new key; the same request gets the same refusal.",
    ),
    FaultWords(
        "quota",
        "",
        "429 until a window of time ends; Retry-After names its end.",
        ("#2 refund_order A17 ◀─── 429 retry-after: 70",),
        "Wait for the window if the budget allows it; else stop, and say when it ends.",
    ),
    FaultWords(
        "outage",
        "",
        "For a while nobody listens, whatever is called.",
        (
            "#2 refund_order A17 ─╳                 ConnectError",
            "#3 list_refunds A17 ─╳                 ConnectError",
        ),
        "Nothing was sent. Try again with growing waits; what was unknown before stays unknown.",
    ),
    FaultWords(
        "key_store_lost",
        "",
        "The server loses all its key records, and executes again under an old key.",
        (
            "#2 refund_order A17 key k1 ───▶ committed     ledger: e1",
            "                    all key records are lost",
            "#3 refund_order A17 key k1 ───▶ committed     ledger: e1, e2",
        ),
        "The server breaks its own promise: the second effect is not charged to the caller.",
    ),
    FaultWords(
        "stale_page",
        "",
        "A read is answered from a copy that is behind; Age says so, or nothing does.",
        (
            "#2 refund_order A17 ───▶ committed     ledger: e1",
            "#3 list_refunds A17 ◀─── nothing, age: 60",
        ),
        "With Age above 0 an absence is no proof: read again. What was seen newer stays newer.",
    ),
    FaultWords(
        "lagging_list",
        "",
        "A list lacks what is new, and looks whole.",
        (
            "#2 refund_order A17 ───▶ committed     ledger: e1",
            "#3 list_refunds A17 ◀─── nothing, complete",
        ),
        "Only a contract that states how far reads lag makes an absence a proof.",
    ),
    FaultWords(
        "truncated_list",
        "",
        "Only the first part of a list comes, with complete: false, with a next, or with no mark.",
        ("#3 list_refunds A17 ◀─── r1, complete: false",),
        "Follow the list to its end, or say that it is not whole. An absence from a part is no proof.",
    ),
    FaultWords(
        "missing_row",
        "",
        "One entry is missing from a list that is otherwise whole.",
        ("#3 list_refunds A17 ◀─── r1, r3         ledger: e1, e2, e3",),
        "Ask by key or reference where that can be done: a list does not show its own gaps.",
    ),
    FaultWords(
        "shifting_pages",
        "",
        "While a list is read page by page it shifts: an entry is skipped, or comes twice.",
        (
            "#3 read_list         ◀─── 1, 2",
            "#4 read_list after 2 ◀─── 4            3 was skipped",
        ),
        "Compare what each page shows by id, and read again where they do not fit.",
    ),
    FaultWords(
        "status_unavailable",
        "",
        "What could tell of the outcome does not answer: 503, silence, a reset, or no connection.",
        ("#3 operation_status r1 ◀─── 503",),
        "Ask a few times with growing waits, then hand over.",
    ),
    FaultWords(
        "status_lags",
        "",
        "The status query tells what was true a while ago.",
        (
            "#2 refund_order A17 ───▶ committed     ledger: e1",
            "#3 operation_status r1 ◀─── not_found",
        ),
        "The server breaks its own promise where it calls the answer definitive.",
    ),
    FaultWords(
        "not_found_while_running",
        "",
        "The status query says not_found of an operation that runs.",
        (
            "#2 refund_order A17 ───▶ runs",
            "#3 operation_status r1 ◀─── not_found",
        ),
        "The server breaks its own promise where it calls the answer definitive.",
    ),
    FaultWords(
        "phantom",
        "",
        "A complete 2xx for a call that changed nothing.",
        (
            "#2 refund_order A17 ───▶ nothing       ledger: nothing",
            "                    ◀─── 200 re_1",
        ),
        "Where a tool calls its receipt provisional: read it back before saying that it is done.",
    ),
    FaultWords(
        "lagging_read",
        "",
        "A write is done and acknowledged; for a while reads do not show it.",
        (
            "#2 refund_order A17 ───▶ committed     ledger: e1",
            "#3 list_refunds A17 ◀─── nothing",
        ),
        "Looks like phantom: wait out the stated lag, read again, and do not send before that is conclusive.",
    ),
    FaultWords(
        "in_band_error",
        "",
        "A 200 whose body says ok: false. The effect may be there or not.",
        ("#2 refund_order A17 ◀─── 200 ok: false",),
        "Only where the tool declares it does ok: false mean that nothing was done; else ask.",
    ),
    FaultWords(
        "misleading_text",
        "",
        "A 5xx whose text says what is not so: that nothing was done, or that all was.",
        (
            "#2 refund_order A17 ───▶ committed     ledger: e1",
            '                    ◀─── 503 "not processed, try again"',
        ),
        "A text is not a receipt. " + ASK,
    ),
)
