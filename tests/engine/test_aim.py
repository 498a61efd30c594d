"""Which calls a trigger strikes, and that the count of one fault is not that of another."""

from dataclasses import replace

import pytest
from labs import REFUND, Step, fault, lab, named, play

from faultlab.core.clock import ns
from faultlab.core.records import Call, Fired
from faultlab.engine.aim import Aim
from faultlab.faults.plan import Planned
from faultlab.toolsets.shop import SHOP

ORDER = Step("get_order", {"order_id": "A17"})
OTHER = Step("get_order", {"order_id": "B92"})
MISSING = Step("get_order", {"order_id": "Z00"})


def struck(planned: Planned, *steps: Step) -> list[int]:
    session = lab("none", planned)
    play("direct", session, steps)
    return [event.call for event in session.events if type(event) is Fired]


@pytest.mark.parametrize(
    ("trigger", "calls"),
    [
        ({}, [1]),
        ({"occurrence": 3}, [3]),
        ({"occurrence": 2, "times": 2}, [2, 3]),
        ({"occurrence": 4, "times": None}, [4, 5]),
        ({"match": {"order_id": "B92"}}, [3]),
        ({"match": {"order_id": "A17"}, "occurrence": 2, "times": None}, [2, 4, 5]),
        ({"probability": 1.0}, [1, 2, 3, 4, 5]),
        ({"during_ns": (0, ns(1_000))}, [1, 2, 3, 4, 5]),
    ],
)
@pytest.mark.parametrize("tool", ["get_order", "*"])
def test_a_trigger_counts_the_calls_that_match(tool: str, trigger: dict[str, object], calls: list[int]) -> None:
    for planned in (named("throttled", tool, **trigger), fault("before", "reset", tool, **trigger)):
        assert struck(planned, ORDER, ORDER, OTHER, ORDER, ORDER) == calls


def test_a_window_begins_at_its_first_moment_and_ends_before_its_last() -> None:
    # Sent at 0, 1, 2 and 3 s: each answer takes 50 ms, the rest is waited.
    steps = [ORDER, *[replace(ORDER, rest_s=0.95) for _ in range(3)]]
    assert struck(named("throttled", "get_order", during_ns=(ns(1), ns(3))), *steps) == [2, 3]


def test_a_fault_that_needs_an_answer_counts_only_what_would_be_answered() -> None:
    assert struck(fault("after", "reset", "get_order", occurrence=2), ORDER, MISSING, ORDER) == [3]
    assert struck(named("throttled", "get_order", occurrence=2), ORDER, MISSING, ORDER) == [2]


def test_every_tool_means_every_tool_of_the_kinds_that_a_fault_strikes() -> None:
    steps = [ORDER, REFUND, ORDER, replace(REFUND, key="k")]
    assert struck(named("phantom", "*", times=None), *steps) == [2, 4]
    assert struck(named("stale_page", "*", times=None), *steps) == [1, 3]
    assert struck(named("outage", "*", times=None), *steps) == [1, 2, 3, 4]


def test_a_call_that_is_refused_at_the_door_is_not_counted_by_others() -> None:
    session = lab("none", fault("after", "reset"), named("throttled"))
    play("direct", session, [REFUND, REFUND, REFUND])
    assert [(event.call, event.fault) for event in session.events if type(event) is Fired] == [
        (1, "throttled"),
        (2, "lost_receipt"),
    ]


def drawn(seed: int, *plan: Planned) -> list[list[Planned]]:
    aim = Aim(plan, SHOP.tools, seed)
    calls = [Call(n, n, "get_order", "read", {"order_id": "A17"}) for n in range(1, 401)]
    return [[chosen] if (chosen := aim.pick(call, call.t, lambda: True)) else [] for call in calls]


def test_chance_depends_on_the_seed_and_the_place_and_not_on_what_befalls_the_call() -> None:
    base = Planned("get_order", "before", probability=0.25)
    first = [bool(hit) for hit in drawn(7, base)]
    assert 60 < sum(first) < 140  # 400 draws at a quarter: about 100, give or take 9
    for twin in (replace(base, phase="after"), replace(base, phase="", name="throttled", required=False)):
        assert [bool(hit) for hit in drawn(7, twin)] == first
    assert [bool(hit) for hit in drawn(8, base)] != first
    assert [bool(hit) for hit in drawn(7, replace(base, place=1))] != first
