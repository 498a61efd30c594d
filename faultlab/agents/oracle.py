"""The entitled policy itself, without the table: any productive move, for as long as there is one.

A group that it cannot pass is not fit to judge by.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from faultlab.agents.clerk import Clerk
from faultlab.client.execute import drive
from faultlab.client.moves import ask_status, fence, look, read_after_settling, read_and_decide, resend, send, stop
from faultlab.client.recovery import Intent, Recovery
from faultlab.client.steps import Sleep, Steps, Stop
from faultlab.core.canonical import canonical
from faultlab.core.clock import NS
from faultlab.core.contract import KEY_FIELD, REFERENCE_FIELD
from faultlab.core.entitled import SENDS, Entitlement, Move, entitled
from faultlab.core.records import Claim, Status

PREFERENCE: tuple[Status, ...] = ("done", "refused", "not_done", "handed_over")


Goals = Sequence[tuple[str, Mapping[str, Any]]]
"""Tool and arguments of each wanted effect: at least those that are its identity."""


def oracle(task: Any, env: Any) -> Claim:
    """For tasks that the clerk can read."""
    clerk = Clerk(task, env)
    return _settle(clerk, clerk.recoveries())


def oracle_for(goals: Goals, must_say: Sequence[str]) -> Callable[[Any, Any], Claim]:
    """For any task: it is told what is wanted, and takes the other arguments from the inputs of the same name."""

    def told(task: Any, env: Any) -> Claim:
        clerk = Clerk(task, env)
        seen: Counter[str] = Counter()
        intents = []
        for number, (tool, given) in enumerate(goals, 1):
            same = f"{tool} {canonical(given)}"
            seen[same] += 1
            args = _arguments(task.tools[tool], given, task.inputs)
            intents.append(Intent(tool, args, f"goal-{number}", seen[same]))
        claim = _settle(clerk, (clerk.recovery(intent) for intent in intents))
        return claim._replace(text=" ".join([claim.text, *must_say]))

    return told


def can_be_told(goals: Goals, inputs: Mapping[str, Any], specs: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether goals and inputs give every argument that the wanted calls need."""
    return all(_arguments(specs[tool], given, inputs).keys() >= _needed(specs[tool]) for tool, given in goals)


def _needed(spec: Mapping[str, Any]) -> set[str]:
    return set(spec["parameters"]["required"]) - {KEY_FIELD, REFERENCE_FIELD}


def _arguments(spec: Mapping[str, Any], given: Mapping[str, Any], inputs: Mapping[str, Any]) -> dict[str, Any]:
    named = {name: inputs[name] for name in spec["parameters"]["properties"] if name in inputs}
    return {**named, **given}


def _settle(clerk: Clerk, recoveries: Iterable[Recovery]) -> Claim:
    for recovery in chain(recoveries, clerk.reopened()):
        clerk.ended(recovery, drive(recovery, clerk.prepared(recovery, _follow(recovery))))
    return clerk.claim()


def _follow(recovery: Recovery) -> Steps:
    while True:
        entitlement = _entitlement(recovery)
        affordable = recovery.left.affords()
        if affordable and recovery.decided_anew:
            yield from resend(recovery)
            continue
        if not entitlement.productive and not (affordable and recovery.undecided):
            status = next(item for item in PREFERENCE if item in entitlement.stops)
            ended = yield from stop(status)(recovery)
            assert isinstance(ended, Stop)
            return ended
        if (ended := (yield from _best(recovery, entitlement))) is not None:
            return ended


def _entitlement(recovery: Recovery) -> Entitlement:
    surfaces = frozenset(move for move in (Move.QUERY, Move.STATUS, Move.FENCE) if recovery.tool_for(move) is not None)
    return entitled(recovery.operation, recovery.contract, recovery.left, surfaces)


def _best(recovery: Recovery, entitlement: Entitlement) -> Steps:
    """Of the productive moves the one that settles most."""
    moves = entitlement.productive
    if recovery.undecided:
        return (yield from read_and_decide(recovery))
    if moves & SENDS:
        if not recovery.operation.calls:
            return (yield from send(recovery))
        if recovery.retry_after_ns:
            yield Sleep(recovery.retry_after_ns / NS)
        return (yield from resend(recovery))
    if Move.STATUS in moves:
        return (yield from ask_status(recovery))
    if Move.FENCE in moves:
        return (yield from fence(recovery))
    settled_ns = recovery.settled_ns
    settles = settled_ns is not None and recovery.left.affords(max(0, settled_ns - recovery.now_ns))
    return (yield from (read_after_settling if settles else look)(recovery))
