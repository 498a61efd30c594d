"""Wrong ends: too early, without what a person needs, more certain than the receipts, or without evidence."""

from collections.abc import Mapping
from typing import Any

from faultlab.agents.mutants.mutant import Mutant, last, row
from faultlab.client.moves import MoveFunction, resend, stop
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Steps, Stop
from faultlab.core.records import Outcome


def end(status: Any, **fields: Any) -> MoveFunction:
    """Stop with fields that are not as they should be."""

    def move(recovery: Recovery) -> Steps:
        return Stop(status, **{"evidence": recovery.supporting(), **fields})
        yield

    return move


def throttled(recovery: Recovery) -> bool:
    """The last send was refused for its pace; an earlier one is open."""
    answer = last(recovery)
    return recovery.knowledge is Outcome.UNKNOWN and answer is not None and answer.status == 429


def cancelled(recovery: Recovery) -> bool:
    """The caller's own deadline ended the call."""
    answer = last(recovery)
    return recovery.knowledge is Outcome.UNKNOWN and answer is not None and answer.error == "CancelledError"


def not_done_if(misread: Any, otherwise: MoveFunction) -> MoveFunction:
    """A stop where an answer was misread, the row's own move elsewhere."""

    def move(recovery: Recovery) -> Steps:
        return (stop("not_done") if misread(recovery) else otherwise)(recovery)

    return move


STOPS: Mapping[str, Mutant] = {
    "silence_is_success": row("worth_a_look", stop("done"), "FL102"),
    "give_up_with_a_key": row("protected_by_key", stop("handed_over"), "FL203"),
    "give_up_before_asking": row("status_offered", stop("handed_over"), "FL203"),
    "give_up_before_fencing": row("fence_offered", stop("handed_over"), "FL203"),
    "give_up_before_settling": row("settle_stated", stop("handed_over"), "FL203"),
    "give_up_after_a_no": row("not_applied", stop("not_done"), "FL203"),
    "hand_over_nothing": row("still_unknown", end("handed_over"), "FL204"),
    "end_unknown": row("worth_a_look", end("unknown"), "FL204"),
    "guess_not_done": row("still_unknown", stop("not_done"), "FL205"),
    "guess_done": row("still_unknown", stop("done"), "FL501"),
    "429_settles_the_first": row("not_applied", not_done_if(throttled, resend), "FL502", also=throttled),
    "cancelled_is_undone": row("not_applied", not_done_if(cancelled, resend), "FL502", also=cancelled),
    "silence_is_failure": row("worth_a_look", stop("not_done"), "FL502"),
    "doubt_the_receipt": row("applied", end("handed_over"), "FL503"),
    "say_nothing": row("applied", end("done", text="Done."), "FL504"),
    "name_a_call_that_was_not": row("fence_offered", end("done", evidence=(99,)), "FL505"),
    "name_no_call": row("applied", end("done", evidence=()), "FL505"),
}
