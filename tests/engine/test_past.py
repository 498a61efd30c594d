"""Any moment of a world can be gone back to, and the world is the present one afterwards."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from labs import Step, lab, named, play

from faultlab.core.records import Receipt
from faultlab.core.world import FrozenWorld, World
from faultlab.faults.plan import Planned

names = st.sampled_from(["a", "b", "c"])
changes = st.lists(
    st.tuples(st.sampled_from(["put", "drop", "call that fails"]), names, names, st.integers(0, 9)), max_size=12
)


def rows(world: World) -> dict[str, dict[str, Any]]:
    return {table: dict(sorted(world.items(table))) for table in "abc"}


@given(changes)
def test_a_world_at_a_point_is_what_it_was_there(drawn: list[tuple[str, str, str, int]]) -> None:
    world = World(FrozenWorld({"a": {"a": {"n": 1}, "b": {"n": 2}}, "b": {}}))
    was = [(world.point(), rows(world))]
    for kind, table, row_id, number in drawn:
        if kind == "drop":
            world.drop(table, row_id)
        else:
            mark = world.point()
            world.put(table, row_id, {"n": number})
            if kind == "call that fails":
                world.rollback(mark)
        was.append((world.point(), rows(world)))
    now = rows(world)
    for point, before in was:
        past = world.at(point)
        assert rows(past) == before
        past.put("a", "a", {"n": 99})
        past.drop("a", "b")
    assert rows(world) == now


@given(st.lists(st.tuples(st.sampled_from(["9.00", "1.00"]), st.sampled_from([0.0, 0.5, 20.0])), max_size=6))
def test_a_page_that_is_behind_is_a_page_that_was_read_then(writes: list[tuple[str, float]]) -> None:
    """A reader beside the script reads after each write; a stale page is always one of those pages, the latest due."""
    fresh = lab("none")
    stale = lab("none", named("stale_page", "list_refunds", {"behind_s": 15.0}, times=None))
    script: list[Step] = []
    for amount, rest_s in writes:
        script += [Step("refund_order", {"order_id": "B92", "amount": amount}, rest_s=rest_s)]
        script += [Step("list_refunds", {"order_id": "B92"})]
    play("direct", fresh, script)
    play("direct", stale, script)
    pages = [(event.t, event.body) for event in fresh.events if type(event) is Receipt and "refunds" in event.body]
    shown = [event for event in stale.events if type(event) is Receipt and "refunds" in event.body]
    assert len(shown) == len(pages)
    latency_ns = fresh.latency_ns
    for receipt in shown:
        # The page as of 15 s before it was asked for. Between a write and the read beside it lies one latency.
        due_ns = receipt.t - latency_ns - 15_000_000_000
        due = [body for t, body in pages if t - 2 * latency_ns <= due_ns]
        assert receipt.body == (due[-1] if due else {"refunds": [], "complete": True})


def listed(order: str, *plan: Planned, writes: tuple[str, ...]) -> int:
    """How many refunds of an order a list shows while the refund of A17 is hidden."""
    session = lab("none", named("lagging_read", given={"lag_s": 30.0}, match={"order_id": "A17"}), *plan)
    steps = [Step("refund_order", {"order_id": item, "amount": "1.00"}) for item in writes]
    play("direct", session, [*steps, *[Step("list_refunds", {"order_id": item}) for item in ("A17", order)]])
    hidden, shown = [event.body for event in session.events if type(event) is Receipt][-2:]
    assert hidden["refunds"] == []
    return len(shown["refunds"])


def test_what_somebody_else_did_is_not_hidden_with_the_own_effect() -> None:
    wish = {"tool": "refund_order", "args": {"order_id": "B92", "amount": "1.00"}}
    assert listed("B92", named("another_writer", "list_refunds", wish), writes=("A17",)) == 1


def test_a_write_that_ended_in_a_500_is_not_hidden_with_another() -> None:
    assert listed("B92", named("server_error", match={"order_id": "B92"}), writes=("A17", "B92")) == 1
