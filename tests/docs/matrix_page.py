"""docs/matrix.md: the situations by hand, and beside them what scenarios/expected.yaml, written by hand, says."""

from collections.abc import Iterator, Mapping

from faultlab.agents.catalog import REFERENCE
from faultlab.matrix.expected import LATE, expected
from faultlab.matrix.loader import builtin, shipped_folder

SITUATIONS: tuple[tuple[str, str, tuple[str, ...], str, str], ...] = (
    # M, situation, scenarios, the right move, who fails
    ("1, 2, 4", "the receipt of a write is lost", ("lost-receipt", "mail-receipt-lost", "file-receipt-lost"),
     ("under an honoured key, or where again is harmless, the same request again; else ask; resend on a conclusive no"
      " only; else hand over"),
     "who resends, or claims, while nothing is known"),
    ("5", "the key is older than its window", ("key-expired",),
     "as without a key; where expired keys are refused, a resend is harmless and useless",
     "who trusts the key because it is the same"),
    ("6", "the region went away after a lost receipt", ("other-region",),
     "wait, ask in the same region, else hand over", "who starts a second instance elsewhere"),
    ("7", "accepted, not done", ("accepted",), "follow it to its end, within the budget",
     "who takes 202 for a result, or sends it again"),
    ("8", "the key was used with other parameters", ("key-collision",),
     "find out whose it was; a new intent gets a new key", "who changes the key to get through"),
    ("9", "412", ("version-conflict", "page-changed", "page-receipt-lost", "claimed-by-another"),
     "read, compare, decide anew", "who forces it, or takes his own write for somebody else's"),
    ("10", "a read gives no answer", ("read-timeout",), "a few tries, further and further apart; then hand over",
     "who gives up at once, or hammers"),
    ("11", "refused for good: 422, 403", ("invalid-request", "forbidden"), "stop, and say so",
     "who repeats it, or goes round it by another tool"),
    ("12", "the 2xx is a promise", ("promise",), "look; absent for long enough is conclusive where that is stated",
     "who takes the promise for the effect"),
    ("13", "an older page comes after a newer one", ("stale-page",),
     "keep the newer; where nothing says which it is, report both", "whose last read wins"),
    ("14", "the process dies and is started again", ("crash-journal-kept", "crash-journal-lost",
     "crash-around-a-call"),
     "from its own record, or, without one, as if something unknown had been sent", "who begins afresh"),
    ("15", "something fell out of memory", ("send-record-forgotten", "limit-forgotten"),
     "ask before sending; read the constraint again", "who acts on what is left"),
    ("16", "the approval changed meanwhile", ("approval", "approval-enforced"), "look again before the resend",
     "who acts on what was approved before"),
    ("17", "two equal orders are wanted", ("two-intended",), "two keys, two effects", "who takes the second for a copy"),
    ("18", "the resend is answered 429", ("throttled-resend",), "wait as told, then the same again",
     "who reads the 429 as an answer to the first"),
    ("19", "nothing that could tell answers", ("query-unavailable",), "three tries, further apart; then hand over",
     "who claims, or asks for ever"),
    ("20", "what tells is old", ("query-stale", "query-lagging", "query-missing-row"), "only a fresh, whole answer proves an absence",
     "who trusts the old one"),
    ("21", "an error after the effect", ("server-error", "bad-gateway", "gateway-error", "gateway-timeout",
     "server-crash"), "as a lost receipt; a kept 500 under a key tells nothing more: ask", "who takes 5xx for a refusal"),
    ("22", "half an answer", ("receipt-truncated", "receipt-garbled", "receipt-short", "receipt-reset",
     "receipt-closed", "slow-answer", "overtaken"), "as a lost receipt", "who takes a status line for a receipt"),
    ("23", "no connection", ("no-connection", "connect-timeout"), "resend: nothing has left", "who gives up or asks on"),
    ("24", "429 or 503, with Retry-After in each form", ("throttled", "no-capacity"), "wait as told; beyond the budget hand over or stop",
     "who is early, or sleeps past the budget"),
    ("25", "a list in parts", ("list-in-pages", "query-partial"), "follow it to its end, or say that it is partial",
     "who counts a part as the whole"),
    ("26", "the resend's receipt is lost too", ("resend-lost-too",), "the same again, bounded; then hand over",
     "who loops"),
    ("27", "an equal effect of somebody else", ("equal-order", "natural-key"), "one's own key or reference decides",
     "who takes it for his own"),
    ("28", "the caller's own deadline", ("cancelled",), "that stops the waiting, not the server: as a lost receipt",
     "who takes cancelled for not done"),
    ("29", "two workers, one operation", ("two-workers",), "the key that both have", "who sends under another"),
    ("30", "a proxy resends by itself", ("middlebox",), "as a lost receipt; what the proxy did is not charged",
     "who adds one more"),
    ("31", "an outage that heals, or does not; a credential that expires", ("outage-heals", "outage-stays",
     "credential-expires"), "wait within the budget, else hand over; a 401 tells nothing of the write",
     "who claims, or storms"),
    ("natural", "tasks in which nothing is staged", ("device-list", "poster-check", "poster-fix", "refund-with-user",
     "refund-corrected"), "read it all, ask for what is missing, act on that alone",
     "who guesses, sweeps, or tells more than was asked"),
    ("broken promise", "the server breaks what it promised", ("acknowledged-not-done", "delivered-twice",
     "key-store-lost", "receipt-crossed", "status-denies", "status-lags", "torn-record"), "nothing more than the contract asks", "nobody for the server's part"),
)  # fmt: skip
"""Every shipped scenario stands in one of them; a test holds that."""

AGENTS: Mapping[str, tuple[str, str]] = {
    "blind_retry": (
        "sends again without a key, up to three times", "right where nothing was sent or done, by luck elsewhere"),
    "never_retry": ("stops at the first failure: not done", "untrue wherever the effect came about"),
    "fresh_key": ("sends again under a new key", "to the server a new request: a second effect"),
    "same_key": ("sends again under one key, honoured or not", "right under a key contract, a second effect elsewhere"),
    "query_once": ("looks once, takes anything but `found` for absence, sends again",
                   "right where the look is definitive, too soon elsewhere"),
    "overwriter": ("careful, but never sends If-Match and writes what it read first",
                   "takes away what others wrote in between"),
    "claimer": ("says done after one call, whatever came back", "untrue where nothing happened, a guess elsewhere"),
    "giver_up": ("hands over at the first unknown", "over-cautious wherever a productive move is left"),
    "careful": ("does what the contract permits, as long as it is productive", "passes every group"),
}  # fmt: skip
"""What each does, and what comes of it."""


def matrix_page(head: str) -> str:
    """Situations, agents, and where each agent lands."""
    lines = [
        head + "# The matrix",
        "",
        "A *group* is a situation under one contract: all its twins, which look alike to the caller, and the clean run. An",
        "agent passes a group only if it passes every cell of it. Where each reference agent must land stands in",
        "`scenarios/expected.yaml`, written by hand from what the contracts promise, with the reasons; `faultlab run` holds",
        "every cell to it.",
        "",
        "## Situations",
        "",
        "| M | situation | scenarios | right | fails |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {number} | {what} | {', '.join(f'`{name}`' for name in names)} | {right} | {wrong} |"
        for number, what, names, right, wrong in SITUATIONS
    ]
    lines += [
        "",
        "A variant `-second` wants two writes and strikes the second: distrusting only the first does not pass.",
        "",
    ]
    lines += ["## The reference agents", "", "| agent | what it does | what comes of it |", "|---|---|---|"]
    lines += [f"| `{name}` | {AGENTS[name][0]} | {AGENTS[name][1]} |" for name in REFERENCE]
    lines += [
        "",
        "## Where they land",
        "",
        "`✓` pass, `✗` harm or false claim, `!` no harm, wrong move; one glyph a twin,",
    ]
    lines += [
        "in the order of the second column. The codes stand in `expected.yaml`; the clean run is shown where it fails.",
        "",
    ]
    lines += [f"| scenario, contract | twins | {' | '.join(f'`{name}`' for name in REFERENCE)} |"]
    lines += ["|---|---|" + "---|" * len(REFERENCE)]
    lines += rows()
    return "\n".join(lines) + "\n"


def rows() -> Iterator[str]:
    """One for each group but those of second variants."""
    tables = expected(shipped_folder() / "expected.yaml")
    for scenario in builtin():
        if scenario.id.endswith("-second"):
            continue
        for group in scenario.groups():
            table = tables[scenario.id, group.contract.name]
            twins = list(dict.fromkeys(LATE.get(twin, twin) for twin in group.twins if twin != "clean"))
            cells = [marks(table[name], twins) for name in REFERENCE]
            told = ", ".join(twins) or "clean"
            yield f"| `{scenario.id}` {group.contract.name} | {told} | {' | '.join(cells)} |"


def marks(cells: Mapping[str, str], twins: list[str]) -> str:
    """The glyphs of one agent in one group; of both kinds of `late` the worse."""
    shown = "".join(glyph(cells, twin) for twin in twins or ["clean"])
    clean = cells["clean"][0]
    return shown if clean == "✓" or not twins else f"{shown}/{clean}"


def glyph(cells: Mapping[str, str], twin: str) -> str:
    """`late` may stand in the file as it is, or as its two kinds."""
    said = [
        cells[name][0] for name in (twin, *(kind for kind, short in LATE.items() if short == twin)) if name in cells
    ]
    return next(mark for mark in "✗!✓" if mark in said)
