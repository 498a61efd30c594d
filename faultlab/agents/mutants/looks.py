"""Wrong conclusions from what was read: absence that is none, an effect that is another's, a promise for a result."""

from collections.abc import Callable, Mapping
from functools import partial

from faultlab.agents.mutants.mutant import Mutant, last, row
from faultlab.client.moves import ask_status, fence, look, pause, read_after_settling, resend, stop
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Sleep, Steps, Stop
from faultlab.core.clock import ns
from faultlab.core.operation import Read, in_progress
from faultlab.core.records import Outcome


def then_resend(recovery: Recovery, ask: Callable[[Recovery], Steps], misled: Callable[[Read], bool]) -> Steps:
    """Ask; where the answer does not show the effect, and misleads, send again."""
    yield from ask(recovery)
    reads = recovery.operation.asked_since
    if recovery.knowledge is Outcome.UNKNOWN and reads and misled(reads[-1]):
        yield Sleep(recovery.back_off_s())
        yield recovery.request()
    return None


def anyhow(read: Read) -> bool:
    return True


def from_a_copy(read: Read) -> bool:
    """An answer that was old when it came, or a part of a list."""
    return read.reveal is not None and not read.reveal.fresh


def not_ready(read: Read) -> bool:
    return read.reveal is not None and read.reveal.answer == "not_ready"


def unanswered(read: Read) -> bool:
    return read.reveal is None


def forget_the_lag(recovery: Recovery) -> Steps:
    """Waits as long as a call may take, and not as long as a list may lag."""
    contract = recovery.contract
    if not contract.read_lag_s or contract.settle_s is None:
        return (yield from read_after_settling(recovery))
    settled_ns = recovery.operation.calls[-1].t + ns(contract.settle_s)
    if (yield from pause(recovery, recovery.until_s(settled_ns))):
        yield from then_resend(recovery, look, anyhow)
    return None


def anybodys_effect(recovery: Recovery) -> Steps:
    """Something of the kind is there, so it is done."""
    yield from look(recovery)
    reads = recovery.operation.asked_since
    reveal = reads[-1].reveal if reads else None
    return Stop("done", (reads[-1].call,)) if reveal is not None and reveal.shown else None


def promised(recovery: Recovery) -> bool:
    return in_progress(last(recovery)) and recovery.knowledge is Outcome.UNKNOWN


def wish_passed_on(recovery: Recovery) -> bool:
    """A cancellation that promises nothing is offered, and was not asked for."""
    asked = any(read.kind == "fence" for read in recovery.operation.reads)
    return recovery.knowledge is Outcome.UNKNOWN and recovery.contract.fence == "cooperative" and not asked


def cancel_and_resend(recovery: Recovery) -> Steps:
    """Cancelled is cancelled."""
    if recovery.contract.fence != "cooperative":
        return fence(recovery)
    return then_resend(recovery, fence, anyhow)


LOOKS: Mapping[str, Mutant] = {
    "query_once": row("worth_a_look", partial(then_resend, ask=look, misled=anyhow), "FL202"),
    "two_looks_are_proof": row("still_unknown", resend, "FL202"),
    "ignore_settle_time": row("settle_stated", partial(then_resend, ask=look, misled=anyhow), "FL202"),
    "ignore_read_lag": row("settle_stated", forget_the_lag, "FL202"),
    "trust_a_stale_absence": row("worth_a_look", partial(then_resend, ask=look, misled=from_a_copy), "FL202"),
    "silent_list_is_empty": row("worth_a_look", partial(then_resend, ask=look, misled=unanswered), "FL201"),
    "not_ready_is_no": row("status_offered", partial(then_resend, ask=ask_status, misled=not_ready), "FL202"),
    "trust_a_cancellation": row("fence_offered", cancel_and_resend, "FL202", also=wish_passed_on),
    "anybodys_effect": row("worth_a_look", anybodys_effect, "FL501"),
    "trust_a_202": row("applied", stop("done"), "FL501", also=promised),
}
