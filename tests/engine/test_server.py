"""The server alone, told the time: copies, previews, refusals, status queries and fences."""

from typing import Any

import pytest
from wires import Wire, things

from faultlab.core.clock import ns
from faultlab.core.profiles import PROFILES
from faultlab.core.tools import Toolset, tool
from faultlab.core.world import World

# What comes back is a copy.


def test_changing_what_came_back_changes_neither_replay_nor_world() -> None:
    wire = Wire("strict")
    wire.send(0, "k1", tags=["x"])
    first = wire.send(1, "k1", tags=["x"])
    first.body["tags"].append("changed")
    first.body["id"] = "changed"
    again = wire.send(2, "k1", tags=["x"])
    assert again.body["tags"] == ["x"]
    assert again.body["id"] != "changed"
    shown = wire.ask(3, "things").body["things"]
    shown[0]["tags"].append("changed")
    assert wire.ask(4, "things").body["things"][0]["tags"] == ["x"]


# Preview, rollback, refusals.


@pytest.mark.parametrize("contract", sorted(PROFILES))
def test_a_preview_tells_the_answer_and_leaves_nothing(contract: str) -> None:
    wire = Wire(contract)
    call = wire.call(0, "make", "k1", "r1", name="a")
    seen = wire.server.preview(call, 0)
    assert (wire.effects, wire.ask(0, "things").body["things"]) == (0, [])
    assert wire.server.forward(call, 0) == seen
    assert wire.effects == 1


def test_a_refused_call_leaves_nothing_behind() -> None:
    wire = Wire("none")
    assert wire.send(0, size=0).status == 402
    assert (wire.ask(1, "things").body["things"], wire.effects) == ([], 0)


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ({"size": "2"}, "size must be of type integer, not str"),
        ({"size": True}, "size must be of type integer, not bool"),
        ({"size": None}, "size must be of type integer, not NoneType"),
        ({"tags": ["x", 1]}, "tags must be a list whose every item is of type string"),
        ({"tags": "x"}, "tags must be of type array or of type null, not str"),
        ({"colour": "red"}, "has no parameter 'colour'"),
    ],
)
def test_arguments_that_do_not_fit_the_schema_never_reach_the_tool(args: dict[str, Any], says: str) -> None:
    wire = Wire("none")
    reply = wire.send(0, **args)
    assert reply.status == 400
    assert says in reply.body["detail"]
    assert wire.server.broken is None


def test_a_missing_argument_is_named() -> None:
    wire = Wire("none")
    assert "'name'" in wire.server.forward(wire.call(0, "make"), 0).body["detail"]


@pytest.mark.parametrize("returned", [None, [1], "text"])
def test_a_tool_that_does_not_return_an_object_is_broken_and_has_no_effect(returned: Any) -> None:
    @tool(writes=True, identity=["name"])
    def odd(world: World, name: str) -> Any:
        world.put("things", name, {"name": name})
        return returned

    wire = Wire("none", Toolset.of("odd", odd, things))
    assert wire.ask(0, "odd", name="a").status == 500
    assert isinstance(wire.server.broken, TypeError)
    assert (wire.effects, wire.server.world.rows("things")) == (0, [])


# Status and fence.


def test_a_status_answer_bars_what_was_sent_before_it_and_nothing_later() -> None:
    wire = Wire("status")
    held_up = wire.call(0, "make", None, "r1", name="a")
    assert wire.ask(1, "operation_status", reference="r1").body == {"state": "not_found"}
    later = wire.call(2, "make", None, "r1", name="a")
    assert wire.server.forward(held_up, ns(3)).status == 409
    assert wire.server.forward(later, ns(3)).status == 200
    assert wire.ask(4, "operation_status", reference="r1").body["state"] == "applied"


def test_an_older_status_query_that_arrives_late_does_not_lift_a_bar() -> None:
    wire = Wire("status")
    late_query = wire.call(0, "operation_status", reference="r1")
    held_up = wire.call(1, "make", None, "r1", name="a")
    wire.ask(2, "operation_status", reference="r1")
    wire.server.forward(late_query, ns(3))
    assert wire.server.forward(held_up, ns(4)).status == 409


def test_a_handle_is_running_until_the_last_call_that_bears_it_has_ended() -> None:
    wire = Wire("status")
    slow = wire.call(0, "make", None, "r1", name="a")
    assert wire.server.admit(slow, 0) is None
    assert wire.ask(1, "make", reference="r1", name="a", size=0).status == 402
    assert wire.ask(2, "operation_status", reference="r1").body == {"state": "not_ready"}
    wire.server.commit(slow, ns(3))
    assert wire.ask(4, "operation_status", reference="r1").body["state"] == "applied"


def test_a_durable_fence_bars_for_good_and_never_a_running_or_applied_call() -> None:
    wire = Wire("fence")
    assert wire.ask(0, "cancel_operation", reference="r1").body == {"state": "cancelled"}
    assert wire.ask(1, "make", reference="r1", name="a").status == 409
    slow = wire.call(2, "make", None, "r2", name="a")
    assert wire.server.admit(slow, 0) is None
    assert wire.ask(3, "cancel_operation", reference="r2").body == {"state": "not_ready"}
    assert wire.server.commit(slow, ns(4)).status == 200
    assert wire.ask(5, "cancel_operation", reference="r2").body["state"] == "applied"


def test_a_cooperative_fence_bars_nothing() -> None:
    wire = Wire("cooperative")
    held_up = wire.call(0, "make", None, "r1", name="a")
    assert wire.ask(1, "cancel_operation", reference="r1").body == {"state": "accepted"}
    assert wire.server.forward(held_up, ns(2)).status == 200
