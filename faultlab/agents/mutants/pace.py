"""Wrong pace: too soon, too often, too long."""

from collections.abc import Mapping
from functools import partial

from faultlab.agents.mutants.mutant import Mutant, last, row
from faultlab.client.moves import stop_spent, wait_as_told
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Invoke, Sleep, Steps, Stop
from faultlab.core.clock import NS
from faultlab.core.entitled import Move
from faultlab.core.records import Outcome
from faultlab.core.waits import is_dated


def read_many(recovery: Recovery, times: int) -> Steps:
    tool = recovery.tool_for(Move.QUERY)
    assert tool is not None
    for _ in range(times):
        yield Invoke(tool, recovery.query_args())
    return Stop("handed_over", (), recovery.record())


def ask_at_a_beat(recovery: Recovery) -> Steps:
    """Every second, until something is said."""
    tool, last_call = recovery.tool_for(Move.STATUS), recovery.operation.calls[-1]
    assert tool is not None
    for _ in range(6):
        yield Invoke(tool, {"reference": last_call.key or last_call.reference})
        if recovery.knowledge is not Outcome.UNKNOWN:
            return None
        yield Sleep(1.0)
    return Stop("handed_over", (), recovery.record())


def resend_at_once(recovery: Recovery) -> Steps:
    """Neither a wait of its own nor the one that it was told."""
    yield recovery.request()
    return None


def wait_for_seconds_only(recovery: Recovery) -> Steps:
    """Retry-After as a date is not understood."""
    answer = last(recovery)
    return resend_at_once(recovery) if answer is not None and is_dated(answer) else wait_as_told(recovery)


def sleep_past_the_budget(recovery: Recovery) -> Steps:
    yield Sleep(recovery.budget.seconds + 1)
    return None


def wait_beyond_the_budget(recovery: Recovery) -> Steps:
    """Obedient to the end."""
    if recovery.retry_after_ns:
        yield Sleep(recovery.retry_after_ns / NS)
    return (yield from stop_spent(recovery))


PACE: Mapping[str, Mutant] = {
    "poll_without_end": row("worth_a_look", partial(read_many, times=15), "FL401"),
    "sleep_past_the_budget": row("told_to_wait", sleep_past_the_budget, "FL402"),
    "wait_beyond_the_budget": row("spent", wait_beyond_the_budget, "FL402"),
    "poll_too_dear": row("worth_a_look", partial(read_many, times=9), "FL403"),
    "come_back_too_early": row("told_to_wait", resend_at_once, "FL404"),
    "seconds_only": row("told_to_wait", wait_for_seconds_only, "FL404"),
    "poll_without_pause": row("worth_a_look", partial(read_many, times=4), "FL408"),
    "ask_at_a_beat": row("status_offered", ask_at_a_beat, "FL408"),
    "no_back_off": row("protected_by_key", resend_at_once, "FL409"),
}
