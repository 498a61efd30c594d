"""Wrong resends: with another key, other parameters, elsewhere, under a key that protects no more, or after a misread
answer."""

from collections.abc import Mapping
from typing import Any

from faultlab.agents.clerk import Clerk
from faultlab.agents.mutants.mutant import Mutant, last, row, step
from faultlab.client.execute import drive
from faultlab.client.moves import look, resend
from faultlab.client.recovery import Recovery
from faultlab.client.steps import Invoke, Sleep, Steps, Stop
from faultlab.core.entitled import Move
from faultlab.core.records import Outcome

FEW = 3
"""So often a wrong agent sends before it gives up."""


def again(recovery: Recovery, key: str | None, **drift: Any) -> Steps:
    """A resend with another key, or with drifted parameters."""
    yield Sleep(recovery.back_off_s())
    step = recovery.request()
    yield step._replace(key=key, args={**step.args, **drift})
    return None


def resend_unkeyed(recovery: Recovery) -> Steps:
    return again(recovery, None)


def resend_new_key(recovery: Recovery) -> Steps:
    return again(recovery, f"{recovery.key}-{recovery.sends}")


def resend_drifted(recovery: Recovery) -> Steps:
    """The amount is worked out anew."""
    args = recovery.intent.args
    changes = {"quantity": 2, "amount": "1.00", "image": "base-2", "notice": "Welcome!"}
    drift = {name: value for name, value in changes.items() if name in args}
    return again(recovery, recovery.key, **drift)


def resend_elsewhere(recovery: Recovery) -> Steps:
    """The other region answers."""
    moved = {"region": "r2"} if "region" in recovery.intent.args else {}
    return again(recovery, recovery.key, **moved)


def new_key_while_one_runs(recovery: Recovery) -> Steps:
    """409: the key is taken, so take another."""
    answer = last(recovery)
    return resend_new_key(recovery) if answer is not None and answer.status == 409 else resend(recovery)


def new_key_for_a_disputed_one(recovery: Recovery) -> Steps:
    """422: the key was used for something else, so take another."""
    return resend_new_key(recovery) if recovery.operation.disputed else look(recovery)


def resend_a_few_times(recovery: Recovery) -> Steps:
    """Whatever the answer was."""
    if recovery.sends > FEW:
        return Stop("not_done")
    yield from again(recovery, recovery.key)
    return None


class GoesRound(Clerk):
    """What one tool may not do, another can."""

    def ended(self, recovery: Recovery, stop: Stop) -> None:
        for name, spec in recovery.specs.items():
            if stop.status == "refused" and spec.get("equivalent_to") == recovery.intent.tool:
                stop = drive(recovery, through(recovery, name))
        super().ended(recovery, stop)


def through(recovery: Recovery, tool: str) -> Steps:
    receipt = yield Invoke(tool, recovery.intent.args, recovery.key, recovery.reference)
    if receipt is None or receipt.outcome is not Outcome.APPLIED:
        return Stop("refused")
    return Stop("done", (receipt.call,))


def resend_and_take_back(recovery: Recovery) -> Steps:
    """Makes the duplicate good afterwards, where it finds one."""
    yield from resend(recovery)
    tool = recovery.tool_for(Move.QUERY)
    assert tool is not None
    receipt = yield Invoke(tool, recovery.query_args())
    body = {} if receipt is None or not isinstance(receipt.body, Mapping) else receipt.body
    rows = next((value for value in body.values() if isinstance(value, list)), [])
    if len(rows) > 1 and "reverse_refund" in recovery.specs:
        yield Invoke("reverse_refund", recovery.intent.args, None, f"{recovery.reference}-back")
    return None


def after_5xx(recovery: Recovery) -> bool:
    answer = last(recovery)
    return answer is not None and (answer.status or 0) >= 500 and recovery.knowledge is Outcome.UNKNOWN


def under_a_key(recovery: Recovery) -> bool:
    """Any key, however old."""
    return recovery.knowledge is Outcome.UNKNOWN and recovery.contract.key is not None and recovery.sends <= FEW


RESENDS: Mapping[str, Mutant] = {
    "resend_unkeyed": row("protected_by_key", resend_unkeyed, "FL101"),
    "take_back": row("worth_a_look", resend_and_take_back, "FL105"),
    "drop_query": row("worth_a_look", resend, "FL201"),
    "5xx_is_a_refusal": row("not_applied", resend, "FL201", also=after_5xx),
    "change_the_key": row("protected_by_key", resend_new_key, "FL301"),
    "new_key_on_409": row("protected_by_key", new_key_while_one_runs, "FL301"),
    "new_key_on_422": row("worth_a_look", new_key_for_a_disputed_one, "FL301"),
    "change_the_amount": row("protected_by_key", resend_drifted, "FL302"),
    "change_the_region": row("protected_by_key", resend_elsewhere, "FL303"),
    "key_of_yesterday": row("protected_by_key", resend_a_few_times, "FL304", also=under_a_key),
    "repeat_a_422": row("refused_for_good", resend_a_few_times, "FL405"),
    "repeat_a_403": row("forbidden", resend_a_few_times, "FL405"),
    "go_round_a_403": step(GoesRound, "FL407"),
}
