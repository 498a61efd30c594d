"""The driver: which call a fault strikes, when what is late lands, and that it never waits."""

from typing import Any

import pytest
from labs import LATE_S, REFUND, WORLD, Step, drain, fault, lab, play

from faultlab.core.clock import ns
from faultlab.core.contract import Contract
from faultlab.core.profiles import PROFILES, contract_of
from faultlab.core.records import Fired, Outcome
from faultlab.core.tools import Toolset, tool
from faultlab.core.world import World
from faultlab.engine.session import Session
from faultlab.faults.catalog import TWINS

LIST = Step("list_refunds", {"order_id": "A17"}, rest_s=1.0)
KEYED = Step("refund_order", REFUND.args, key="k1", reference="r1")
ASK = Step("operation_status", {"reference": "r1"}, rest_s=1.0)


def fired(session: Session) -> list[tuple[int, str, str, bool]]:
    return [
        (event.call, event.phase, event.symptom, event.required) for event in session.events if type(event) is Fired
    ]


def landed(session: Session) -> list[tuple[int, float]]:
    return [(effect.call, effect.t / 1e9) for effect in session.engine.ledger]


def test_a_fault_strikes_the_call_that_it_is_addressed_to_and_no_other() -> None:
    session = lab("none", fault("before", "reset", occurrence=2, match={"order_id": "B92"}, required=False))
    other = Step("refund_order", {"order_id": "B92", "amount": "1.00"})
    seen = play("direct", session, [other, REFUND, other, other])
    assert [item.status for item in seen] == [200, 200, None, 200]
    assert fired(session) == [(3, "before", "reset", False)]


def test_a_call_that_is_refused_anyway_is_not_struck_and_not_counted() -> None:
    session = lab("none", fault("after"))
    wrong = Step("refund_order", {"order_id": "A17", "amount": "99.00"})
    unknown = Step("refund_order", {"order_id": "X", "amount": "1.00"})
    seen = play("direct", session, [wrong, unknown, REFUND])
    assert [item.status for item in seen] == [422, 404, None]
    assert fired(session) == [(3, "after", "timeout", True)]


def test_a_replay_is_struck_like_a_first_answer() -> None:
    session = lab("strict", fault("after", "reset", occurrence=2))
    seen = play("direct", session, [KEYED, KEYED, KEYED])
    assert [item.error for item in seen] == [None, "ReadError", None]
    assert landed(session) == [(1, 0.0)]


@pytest.mark.parametrize(
    ("phase", "effects"),
    [
        ("connect", []),
        ("before", []),
        ("after", [(1, 0.0)]),
        ("late_network", [(1, LATE_S)]),
        ("late_server", [(1, LATE_S)]),
    ],
)
def test_where_nobody_asks_each_phase_has_its_own_truth(phase: str, effects: list[tuple[int, float]]) -> None:
    session = lab("none", fault(phase))
    play("direct", session, [REFUND])
    drain(session)
    assert landed(session) == effects


@pytest.mark.parametrize("phase", ["late_network", "late_server"])
def test_what_is_late_lands_right_after_the_first_negative_read_begun_after_the_loss(phase: str) -> None:
    session = lab("none", fault(phase))
    play("direct", session, [REFUND, Step("get_order", {"order_id": "B92"}), Step("get_balance", {"account": "C1"})])
    assert landed(session) == []
    seen = play("direct", session, [LIST, LIST])
    assert [len(item.body["refunds"]) for item in seen] == [0, 1]
    assert [call for call, _ in landed(session)] == [1]


def test_what_is_late_can_be_told_to_land_at_its_time_only() -> None:
    session = lab("none", fault("late_server", wake=False))
    seen = play("direct", session, [REFUND, LIST, LIST])
    assert [item.body["refunds"] for item in seen[1:]] == [[], []]
    session.clock.until(ns(LATE_S))
    assert len(play("direct", session, [Step("list_refunds", {"order_id": "A17"})])[0].body["refunds"]) == 1
    assert landed(session) == [(1, LATE_S)]


def test_what_is_due_before_a_call_happens_before_it() -> None:
    session = lab("none", fault("late_server", wake=False))
    play("direct", session, [REFUND])
    session.clock.until(ns(LATE_S) - 1)
    early = session.begin("list_refunds", {"order_id": "A17"})
    session.clock.until(ns(LATE_S))
    on_time = session.begin("list_refunds", {"order_id": "A17"})
    shown = [len(ticket.delivery.body["refunds"]) for ticket in (early, on_time)]  # type: ignore[union-attr]  # replies
    assert shown == [0, 1]


def test_under_a_key_a_late_request_and_its_resend_are_one_effect() -> None:
    for phase, statuses in (("late_network", [200, 200]), ("late_server", [409, 200])):
        session = lab("strict", fault(phase))
        seen = play("direct", session, [KEYED, KEYED, KEYED])
        assert [item.status for item in seen[1:]] == statuses
        drain(session)
        assert len(session.engine.ledger) == 1


@pytest.mark.parametrize(
    ("twin", "answers", "effects"),
    [
        ("never", ["not_found", "not_found"], 0),
        ("committed", ["applied", "applied"], 1),
        ("late_network", ["not_found", "not_found"], 0),
        ("late_server", ["not_ready", "applied"], 1),
    ],
)
def test_a_status_query_tells_the_twins_apart_and_bars_what_it_did_not_find(
    twin: str, answers: list[str], effects: int
) -> None:
    session = lab("status", fault(TWINS[twin]))
    seen = play("direct", session, [KEYED, ASK, ASK])
    assert [item.body["state"] for item in seen[1:]] == answers
    drain(session)
    assert len(session.engine.ledger) == effects


def test_a_query_that_the_caller_began_before_its_loss_wakes_nothing() -> None:
    session = lab("none", fault("late_server"))
    pending = session.begin("refund_order", REFUND.args)
    session.begin("list_refunds", {"order_id": "A17"})
    assert landed(session) == []
    session.abandon(pending, "CancelledError")
    session.begin("list_refunds", {"order_id": "A17"})
    assert landed(session) == [(1, 0.0)]


def test_a_torn_record_makes_the_second_effect_the_servers_fault() -> None:
    session = lab("strict", fault("torn"))
    play("direct", session, [KEYED, KEYED])
    assert [effect.cause for effect in session.engine.ledger] == ["agent", "server"]


def test_ids_do_not_depend_on_how_many_effects_there_were() -> None:
    def second(twin: str) -> Any:
        session = lab("none", fault(TWINS[twin]))
        return play("direct", session, [REFUND, REFUND])[1].body["id"]

    assert len({second(twin) for twin in TWINS}) == 1


def test_two_occurrences_never_share_an_id() -> None:
    session = lab()
    bodies = [item.body["id"] for item in play("direct", session, [REFUND, REFUND, REFUND])]
    assert len(set(bodies)) == 3
    assert len({effect.id for effect in session.engine.ledger}) == 3


def test_facts_are_read_by_path() -> None:
    session = lab()
    play("direct", session, [REFUND])
    assert session.engine.facts({"orders/A17/status": 0, "orders/X/status": 0}) == {
        "orders/A17/status": "refunded",
        "orders/X/status": None,
    }


def test_a_tool_that_fails_by_itself_is_kept_apart_from_the_agent_and_changes_nothing() -> None:
    @tool(writes=True, identity=["order_id"])
    def crash(world: World, order_id: str) -> dict[str, Any]:
        world.put("orders", order_id, {"status": "gone"})
        return {"id": 1 // 0}

    session = lab(toolset=Toolset.of("mine", crash))
    seen = play("direct", session, [Step("crash", {"order_id": "A17"})])
    assert seen[0].status == 500
    assert isinstance(session.engine.server.broken, ZeroDivisionError)
    assert session.engine.ledger == []
    assert session.engine.server.world.get("orders", "A17") == WORLD.tables["orders"]["A17"]


@pytest.mark.parametrize("contract", [PROFILES["settle"], contract_of("x", {"profile": "none", "settle_s": LATE_S})])
def test_landing_is_never_after_its_time_whoever_asks(contract: Contract) -> None:
    session = lab(contract, fault("late_server"))
    play("direct", session, [REFUND])
    session.engine.catch_up(ns(LATE_S) - 1)
    assert landed(session) == []
    session.engine.catch_up(ns(LATE_S))
    assert landed(session) == [(1, LATE_S)]
    assert session.events[-1][2] is Outcome.UNKNOWN
