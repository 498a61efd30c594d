"""Every fault by name, on every transport: what the caller saw, and what is in the ledger when all has landed.

The expectations are written by hand from the meaning of each fault.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest
from doors import DOORS, PEOPLE
from labs import HTTP, REFUND, TRANSPORTS, WORLD, Step, drain, fault, lab, named, play, shows

from faultlab.core.clock import ns
from faultlab.core.contract import Contract
from faultlab.core.records import Call, Crashed, Fired, Forgot, Receipt
from faultlab.core.tools import Toolset
from faultlab.core.world import FrozenWorld
from faultlab.faults.catalog import NAMED
from faultlab.faults.symptoms import LOSING
from faultlab.matrix.annotations import parameters
from faultlab.toolsets.shop import SHOP

KEYED = replace(REFUND, key="k-1", reference="r-1")
AGAIN = replace(KEYED, rest_s=200)
LIST = Step("list_refunds", {"order_id": "A17"})
STATUS = Step("operation_status", {"reference": "r-1"})
MANY = Step("open_doors", {"doors": [{"door": "north"}, {"door": "south"}, {"door": "west"}]}, key="k-1")
PAGE = Step("people", {"cursor": "2"})
B92 = {"order_id": "B92", "amount": "9.00"}


@dataclass(frozen=True)
class Case:
    """A fault, a caller's script, what the caller sees of each call, and the causes of the effects in the end."""

    seen: list[int | str]
    effects: list[str]
    """`agent` or another cause, for each line of the ledger in order."""
    given: Mapping[str, Any]
    steps: list[Step]
    tool: str = "refund_order"
    contract: str | Contract = "strict"
    toolset: Toolset = SHOP
    world: FrozenWorld = WORLD
    plan: Mapping[str, Any] | None = None
    """The trigger."""
    fired: int = 1


def case(
    seen: list[int | str], effects: list[str], *steps: Step, given: Mapping[str, Any] | None = None, **more: Any
) -> Case:
    return Case(seen, effects, given or {}, list(steps), **more)


ALWAYS = {"times": None}
CASES: Mapping[str, list[Case]] = {
    "throttled": [case([429, 200], ["agent"], KEYED, KEYED), case([429, 429], [], KEYED, KEYED, plan=ALWAYS, fired=2)],
    "unavailable": [case([503, 200], ["agent"], KEYED, KEYED)],
    "unauthenticated": [
        case([401, 200], ["agent"], KEYED, KEYED),
        case([200, 401], ["agent"], KEYED, KEYED, given={"reason": "expired"}, plan={"occurrence": 2}),
    ],
    "forbidden": [case([403, 403], [], KEYED, KEYED, plan=ALWAYS, fired=2)],
    "invalid": [case([422, 200], ["agent"], KEYED, KEYED), case([400], [], KEYED, given={"status": 400})],
    "quota": [
        case(
            [429, 200],
            ["agent"],
            KEYED,
            AGAIN,
            given={"until_s": 100.0},
            plan={"during_ns": (0, 100 * 10**9)},
        )
    ],
    "outage": [
        case(["ConnectError", 200], ["agent"], KEYED, AGAIN, plan={"during_ns": (0, 10**10)}),
        case(["ConnectTimeout"], [], KEYED, given={"symptom": "connect_timeout"}),
    ],
    # The first refund is done before the keys are lost; the same key pays again.
    "key_store_lost": [case([200, 200], ["agent", "server"], KEYED, KEYED, plan={"occurrence": 2})],
    "stale_page": [case([200, 200, 200], ["agent"], KEYED, LIST, LIST, tool="list_refunds")],
    "lagging_list": [case([200, 200, 200], ["agent"], KEYED, LIST, LIST, tool="list_refunds")],
    "truncated_list": [case([200, 200], ["agent"], KEYED, LIST, tool="list_refunds")],
    "missing_row": [
        case([200, 200], ["agent"], KEYED, LIST, tool="list_refunds"),
        case([200], [], LIST, tool="list_refunds", fired=0),
    ],
    "shifting_pages": [
        case([200], [], PAGE, tool="people", toolset=DOORS, world=PEOPLE),
        case([200], [], Step("people", {}), tool="people", toolset=DOORS, world=PEOPLE, fired=0),
    ],
    "status_unavailable": [
        case([200, 503, 200], ["agent"], KEYED, LIST, LIST, tool="list_refunds"),
        case(
            [200, "ReadTimeout"],
            ["agent"],
            KEYED,
            STATUS,
            tool="operation_status",
            contract="status",
            given={"symptom": "timeout"},
        ),
    ],
    "status_lags": [case([200, 200], ["agent"], KEYED, STATUS, tool="operation_status", contract="status")],
    "not_found_while_running": [
        case([200, 200], ["agent"], KEYED, STATUS, tool="operation_status", contract="status", fired=0)
    ],
    # Nothing is kept, so the same key is executed when it is sent again.
    "phantom": [case([200, 200], ["agent"], KEYED, KEYED), case([200], [], KEYED)],
    "lagging_read": [case([200, 200], ["agent"], KEYED, KEYED)],
    "in_band_error": [case([200], [], KEYED), case([200], ["agent"], KEYED, given={"applied": True})],
    "misleading_text": [case([503], ["agent"], KEYED), case([502], [], KEYED, given={"applied": False, "status": 502})],
    "another_writer": [
        case([200], ["interference", "agent"], KEYED, given={"tool": "refund_order", "args": B92}),
        case([200], ["agent", "interference"], KEYED, given={"tool": "refund_order", "args": B92, "when": "after"}),
        case(
            [200],
            ["agent"],
            KEYED,
            given={"tool": "refund_order", "args": {"order_id": "Z00", "amount": "1.00"}},
            fired=0,
        ),
    ],
    "equal_effect": [
        case(["ReadTimeout"], ["interference"], KEYED),
        case([200], ["interference", "agent"], KEYED, given={"symptom": None}),
    ],
    "approval_withdrawn": [case([200], ["human", "agent"], KEYED, given={"tool": "refund_order", "args": B92})],
    "artifact_changed": [case([200], ["human", "agent"], KEYED, given={"tool": "refund_order", "args": B92})],
    "duplicate_delivery": [
        case([200], ["agent", "server"], REFUND, contract="none"),
        case([200], ["agent"], KEYED),
        case([200], ["agent", "server"], REFUND, contract="none", given={"delay_s": 60.0}),
    ],
    # B before A: the older amount wins.
    "reordering": [
        case(
            ["ReadTimeout", 200],
            ["agent", "agent"],
            REFUND,
            replace(REFUND, args={"order_id": "A17", "amount": "10.00"}),
            contract="none",
        )
    ],
    "middlebox_resend": [
        case([200], ["agent", "middlebox"], REFUND, contract="none"),
        case([200], ["agent"], KEYED),
        case([200], ["agent"], REFUND, contract="none", given={"first": "never"}),
        case(["ReadError"], ["agent", "middlebox"], REFUND, contract="none", given={"symptom": "reset"}),
    ],
    "crossed_receipt": [
        case([200], ["agent"], KEYED, given={"args": B92}),
        case([200], [], KEYED, given={"args": B92, "applied": False}),
        case([200], ["agent"], KEYED, given={"args": {"order_id": "Z00"}, "applied": False}, fired=0),
    ],
    "partial": [
        case([207, 207], ["agent"], MANY, MANY, tool="open_doors", toolset=DOORS, world=PEOPLE),
        case(
            ["ReadError"],
            ["agent", "agent"],
            MANY,
            tool="open_doors",
            toolset=DOORS,
            world=PEOPLE,
            given={"done": 2, "symptom": "reset"},
        ),
        case([207], ["agent"] * 3, MANY, tool="open_doors", toolset=DOORS, world=PEOPLE, given={"done": 3}, fired=0),
    ],
    "slow": [case([200], ["agent"], KEYED), case(["ReadTimeout"], ["agent"], KEYED, given={"wait_s": 6.0})],
    "dribble": [
        case([200], ["agent"], KEYED, given={"gap_s": 4.9}),
        case(["ReadTimeout"], ["agent"], KEYED, given={"gap_s": 5.1}),
    ],
    "accepted": [
        case([202, 409, 200], ["agent"], KEYED, KEYED, AGAIN),
        case([202, 200], ["agent"], KEYED, AGAIN, given={"end": "fails"}),
        case([202, 409], [], KEYED, AGAIN, given={"end": "stays"}),
    ],
    "server_crash": [
        case(["ReadError", "ConnectError", 200], ["agent"], KEYED, KEYED, AGAIN, given={"step": "before_key_record"}),
        case(["ReadError", "ConnectError", 409], [], KEYED, KEYED, AGAIN, given={"step": "after_key_record"}),
        case(["ReadError", 200], ["agent", "server"], KEYED, AGAIN, given={"step": "after_effect"}),
        case(["ReadError", "ConnectError", 200], ["agent"], KEYED, LIST, AGAIN, given={"step": "after_record"}),
    ],
    "server_error": [
        case([500, 200], ["agent"], KEYED, KEYED),
        case([500, 200], ["agent"], KEYED, KEYED, given={"applied": False}),
        case([500, 500], ["agent"], KEYED, KEYED, contract="stripe_v1"),
        case([500, 500], [], KEYED, KEYED, contract="stripe_v1", given={"applied": False}),
        case([500, 200], ["agent", "agent"], REFUND, REFUND, contract="none"),
    ],
    "client_crash": [
        case(["Crash", 200], ["agent"], KEYED, KEYED, given={"when": "before_send"}),
        case(["Crash", 200], ["agent"], KEYED, KEYED),
        case(["Crash", 200], ["agent", "agent"], REFUND, REFUND, contract="none", given={"when": "after_receipt"}),
    ],
    "memory_loss": [
        case([200], ["agent"], KEYED, given={"names": ["limit"]}),
        case(["ReadTimeout"], ["agent"], KEYED, given={"names": ["limit"], "symptom": "timeout"}),
    ],
}


def looks(transport: str, seen: Any) -> int | str:
    """Over a function a 2xx is a result, whatever its number."""
    return seen.error or ("2xx" if transport not in HTTP and seen.status < 300 else seen.status)


@pytest.mark.parametrize(
    ("transport", "name", "number"),
    [
        (transport, name, number)
        for transport in TRANSPORTS
        for name, cases in CASES.items()
        for number, one in enumerate(cases)
        if shows(transport, one.given.get("symptom") or "")
    ],
)
def test_what_the_caller_sees_and_what_is_true(transport: str, name: str, number: int) -> None:
    one = CASES[name][number]
    planned = named(name, one.tool, one.given, **(one.plan or {}))
    session = lab(one.contract, planned, toolset=one.toolset, world=one.world)
    seen = [looks(transport, item) for item in play(transport, session, one.steps)]
    assert seen == [
        "2xx" if transport not in HTTP and isinstance(item, int) and item < 300 else item for item in one.seen
    ]
    drain(session)
    assert [effect.cause for effect in session.engine.ledger] == one.effects
    fired = [event for event in session.events if type(event) is Fired]
    assert [event.fault for event in fired] == [name] * one.fired
    assert [event.required for event in fired[:1]] == [True] * bool(one.fired)
    assert not any(event.required for event in fired[1:])  # one planned fault, however often it strikes


def test_every_fault_is_tested_above() -> None:
    assert set(CASES) == set(NAMED)


def test_one_history_over_all_transports() -> None:
    for name, cases in CASES.items():
        for one in cases:
            records = []
            for transport in [item for item in TRANSPORTS if shows(item, one.given.get("symptom") or "")]:
                planned = named(name, one.tool, one.given, **(one.plan or {}))
                session = lab(one.contract, planned, toolset=one.toolset, world=one.world)
                play(transport, session, one.steps)
                drain(session)
                records.append((session.events, session.engine.ledger))
            assert [item for item in records if item != records[0]] == [], name


def test_a_crash_leaves_no_receipt_and_forgetting_stands_behind_one() -> None:
    session = lab("strict", named("client_crash", given={"journal": "lost"}))
    play("direct", session, [KEYED])
    assert [type(event) for event in session.events] == [Call, Fired, Crashed]
    assert session.events[-1].journal == "lost"  # type: ignore[union-attr]  # it is Crashed
    session = lab("strict", named("memory_loss", given={"names": ["limit"]}))
    play("direct", session, [KEYED])
    assert [type(event) for event in session.events] == [Call, Fired, Receipt, Forgot]


WITH_SYMPTOM: Mapping[str, Case] = {
    "partial": case([], [], MANY, tool="open_doors", toolset=DOORS, world=PEOPLE),
    "equal_effect": case([], [], KEYED),
    "middlebox_resend": case([], [], KEYED),
    "reordering": case([], [], KEYED),
    "memory_loss": case([], [], KEYED, given={"names": ["limit"]}),
}


@pytest.mark.parametrize(
    ("transport", "name", "symptom"),
    [
        (transport, name, symptom)
        for transport in TRANSPORTS
        for name in WITH_SYMPTOM
        for symptom in LOSING
        if shows(transport, symptom)
    ],
)
def test_a_symptom_of_a_fault_by_name_looks_as_it_does_after_any_phase(transport: str, name: str, symptom: str) -> None:
    one = WITH_SYMPTOM[name]
    views = []
    for planned in (named(name, one.tool, {**one.given, "symptom": symptom}), fault("after", symptom, one.tool)):
        session = lab(one.contract, planned, toolset=one.toolset, world=one.world)
        seen = play(transport, session, [replace(step, timeout_s=5.0) for step in one.steps])[0]
        waited = symptom not in ("timeout", "cancelled") and name == "middlebox_resend"
        at_ns = seen.t - ns(1.0) * (waited and planned.name == name)
        # Half of another body is another half; how it looks is the same.
        views.append((at_ns, seen.status, seen.error, [len(seen.headers), symptom]))
        fired = [event for event in session.events if type(event) is Fired]
        assert [event.symptom for event in fired] == [symptom]
    assert views[0] == views[1]


def test_every_fault_with_any_losing_symptom_is_tested_above() -> None:
    losing = {"type": "string", "enum": list(LOSING)}
    takes = {
        name
        for name, cls in NAMED.items()
        if losing in (found := parameters(cls).get("symptom", {}), *found.get("anyOf", ()))
    }
    assert takes == set(WITH_SYMPTOM)
