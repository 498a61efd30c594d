"""The kinds of faults that fault injectors and their users know, and what each is called here, or why it is not.

Collected from storage test benches, HTTP mocks, proxies and consistency checkers.
"""

from typing import NamedTuple


class Kind(NamedTuple):
    """One kind of fault."""

    what: str
    names: tuple[str, ...] = ()
    """The faults that bring it about."""
    how: str = ""
    """With which symptom or parameter; or, without a name, why there is none."""


KINDS: tuple[Kind, ...] = (
    Kind("connection refused", ("no_connection", "outage"), "symptom reset; symptom refused"),
    Kind("connection never accepted", ("no_connection", "outage"), "symptom timeout; symptom connect_timeout"),
    Kind("refused with a 4xx or 5xx before any effect", ("invalid", "unavailable", "lost_request"), "symptom status"),
    Kind("throttled, with every form of Retry-After", ("throttled", "quota")),
    Kind("not authenticated, not permitted", ("unauthenticated", "forbidden")),
    Kind("reset before the effect", ("lost_request",), "symptom reset"),
    Kind("closed without a byte before the effect", ("lost_request",), "symptom close"),
    Kind("effect made, not a byte of answer", ("lost_receipt",), "symptoms timeout, reset, close"),
    Kind("answer cut off after some bytes", ("lost_receipt",), "symptom truncated"),
    Kind("well-framed answer with half a body", ("lost_receipt",), "symptom short"),
    Kind("answer that does not decode", ("lost_receipt", "lost_request"), "symptom garbled"),
    Kind("error after the effect", ("lost_receipt", "server_error", "misleading_text"), "symptom status"),
    Kind("acknowledged, but nothing done", ("phantom",)),
    Kind("silence", ("lost_request", "lost_receipt"), "symptom timeout"),
    Kind("effect after the caller gave up", ("late_network", "late_server")),
    Kind("answer later than usual", ("slow",)),
    Kind("answer in small pieces", ("dribble",)),
    Kind("part of a batch done", ("partial",)),
    Kind("request delivered twice", ("duplicate_delivery", "middlebox_resend")),
    Kind("old request applied after a newer one", ("reordering",)),
    Kind("old page, missing or repeated entry", ("stale_page", "lagging_list", "missing_row", "shifting_pages")),
    Kind("list that is not whole", ("truncated_list",)),
    Kind("conflict with another writer", ("another_writer",), "a conditional write then gets a 412"),
    Kind("the first request still runs", ("late_server", "accepted", "server_crash"), "step after_key_record"),
    Kind("key used with other parameters", (), "The contract's own answer to a caller's mistake; `prior` leads there."),
    Kind("key forgotten", ("key_store_lost", "torn_record"), "a window that is over is time: `prior`"),
    Kind("server dies at a step, and comes back", ("server_crash",)),
    Kind("caller dies between effect and its own record", ("client_crash",), "or symptoms crash_kept, crash_lost"),
    Kind("outage, ramp, brown-out", ("outage", "unavailable", "quota"), "during or probability"),
    Kind(
        "clocks that differ or jump",
        (),
        "An attempt has one clock, or equal twins would differ in time. What it distorts is there: Retry-After as a"
        " date of the past (negative), and keys past their window (`prior`).",
    ),
    Kind(
        "redirect to another node",
        (),
        "The lab is one server. A redirect that a client follows is a second request of its own, and its outcome is"
        " unknown by the outcome table.",
    ),
    Kind("well-formed answer that is not true", ("in_band_error", "crossed_receipt", "misleading_text")),
)
