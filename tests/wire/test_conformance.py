"""One conformance suite over all transports: every shipped scenario gives the same history on a real socket."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from wire_env import over_a_socket

from faultlab.agents.careful import careful
from faultlab.core.clock import NS
from faultlab.core.history import History
from faultlab.core.records import Call, Claim, Effect, Fired, Receipt
from faultlab.faults.on_socket import closes_port, missing_on_socket
from faultlab.matrix.attempt import WALL_LIMIT_S, Conditions, run_attempt
from faultlab.matrix.loader import builtin
from faultlab.matrix.scenario import Group
from faultlab.transports.keys import DEFAULT

SCALE = 0.1
"""A second of an attempt in 100 ms: a caller's patience of 5 s is still half a second, also on a busy machine."""

LONGEST_S = 20.0
"""No attempt takes longer than this in real time: those that wait for minutes go faster."""

SLOWER = (1, 5)
"""A busy machine can hold a message for longer than a few seconds take at this pace; what differs then is tried once
more, slower. What differs there too is a difference."""

CONTRACTS = ("none", "strict")
"""Of `lost-receipt`: what is tried each time; everything else is slow."""


def unlike(group: Group, twin: str) -> str | None:
    """Why a socket cannot perform a cell; None: it can."""
    plan = group.plan(twin)
    if (reason := missing_on_socket(plan, shared=False)) is not None:
        return reason
    if any(closes_port(planned) or planned.name == "server_crash" for planned in plan):
        return "a port that is closed hears of none of the calls that were to come"
    rules = group.contract.key
    if rules is not None and rules.carrier != DEFAULT:
        return f"the client of this test sends Idempotency-Key, and {group.contract.name} wants another field"
    return None


def cells() -> Iterator[Any]:
    for scenario in builtin():
        for group in scenario.groups():
            for twin in group.twins:
                name = f"{scenario.id}-{group.contract.name}-{twin}"
                marks = [] if group.contract.name in CONTRACTS and scenario.id == "lost-receipt" else [pytest.mark.slow]
                yield pytest.param(group, twin, id=name, marks=marks)


def timeless(value: Any) -> Any:
    """A body or row whose times are gone: that there is one still counts. Their members end in `_s`."""
    if isinstance(value, Mapping):
        return {
            name: "a time" if name.endswith("_s") and isinstance(item, float) else timeless(item)
            for name, item in value.items()
        }
    return [timeless(item) for item in value] if isinstance(value, list) else value


def line(effect: Effect) -> Effect:
    """An effect without its times."""
    rows = {name: timeless(getattr(effect, name)) for name in ("args", "before", "after")}
    return effect._replace(t=0, **rows)


def shape(history: History) -> dict[str, Any]:
    """What must be equal: everything but times, transport-level headers and when a caller gave up."""
    receipts = {event.call: event for event in history.events if type(event) is Receipt}
    calls = [event for event in history.events if type(event) is Call]
    return {
        "calls": [call[2:] for call in calls],
        "receipts": {
            number: (item.outcome, item.status, timeless(item.body), item.error, item.reveals, item.sights)
            for number, item in receipts.items()
        },
        "fired": [(event.call, *event[2:]) for event in history.events if type(event) is Fired],
        "ledger": [line(effect) for effect in history.ledger],
        "claim": [(event.status, event.text, event.operations) for event in history.events if type(event) is Claim],
        "end": (history.end, history.error),
        "facts": history.facts,
    }


@pytest.mark.parametrize(("group", "twin"), list(cells()))
def test_equal_histories(group: Group, twin: str) -> None:
    if (reason := unlike(group, twin)) is not None:
        pytest.skip(reason)
    inside, _ = run_attempt(careful, group, twin, 1, Conditions(11))
    lasted_s = inside.events[-1].t / NS
    scale = min(SCALE, LONGEST_S / lasted_s) if lasted_s else SCALE
    for slower in SLOWER:
        conditions = Conditions(11, "real", wall_limit_s=WALL_LIMIT_S * slower, time_scale=min(1.0, scale * slower))
        outside = over_a_socket(careful, group, twin, conditions)
        if shape(outside) == shape(inside):
            return
    assert shape(outside) == shape(inside)
