"""Tools as functions: what a framework reads of them, and how arguments arrive."""

import asyncio
import inspect
from typing import Any, get_type_hints

import pytest
from labs import REFUND, fault, lab

from faultlab.core.agent import ToolError
from faultlab.core.clock import ns
from faultlab.core.errors import Hung
from faultlab.core.records import Call, Outcome
from faultlab.engine.session import Session
from faultlab.faults.plan import Planned
from faultlab.transports.direct import async_tools, sync_tools


def calls(session: Session) -> list[Call]:
    return [event for event in session.events if type(event) is Call]


@pytest.mark.parametrize("made", [sync_tools, async_tools])
@pytest.mark.parametrize(
    ("contract", "offered"), [("none", ["reference"]), ("strict", ["idempotency_key", "reference"])]
)
def test_a_function_looks_like_its_tool(made: Any, contract: str, offered: list[str]) -> None:
    refund = made(lab(contract))["refund_order"]
    signature = inspect.signature(refund)
    assert list(signature.parameters) == ["order_id", "amount", *offered]
    assert all(signature.parameters[name].kind is inspect.Parameter.KEYWORD_ONLY for name in offered)
    assert get_type_hints(refund) == {
        "order_id": str,
        "amount": str,
        **dict.fromkeys(offered, str | None),
        "return": dict[str, Any],
    }
    assert refund.__name__ == "refund_order"
    assert "Pay an amount of an order back" in refund.__doc__
    assert inspect.iscoroutinefunction(refund) is (made is async_tools)


def test_two_contracts_do_not_share_a_signature() -> None:
    without, keyed = sync_tools(lab("none")), sync_tools(lab("strict"))
    assert "idempotency_key" not in inspect.signature(without["refund_order"]).parameters
    assert "idempotency_key" in inspect.signature(keyed["refund_order"]).parameters


def test_the_mapping_lists_every_tool_and_makes_each_once() -> None:
    session = lab("status")
    tools = sync_tools(session)
    assert set(tools) == set(session.engine.toolset.tools)
    assert "operation_status" in tools
    assert len(tools) == len(list(tools.values()))
    assert tools["get_order"] is tools["get_order"]
    with pytest.raises(KeyError, match="refund_it"):
        tools["refund_it"]


def test_arguments_by_place_and_by_name_are_one_call() -> None:
    session = lab("strict")
    refund = sync_tools(session)["refund_order"]
    refund("A17", "40.00", idempotency_key="k", reference="r")
    refund("A17", amount="40.00", idempotency_key="k", reference="r")
    refund(order_id="A17", amount="40.00", idempotency_key="k", reference="r")
    assert len({(str(call.args), call.key, call.reference, call.identity) for call in calls(session)}) == 1


def test_python_refuses_what_python_refuses() -> None:
    session = lab()
    refund = sync_tools(session)["refund_order"]
    with pytest.raises(TypeError, match="too many positional arguments"):
        refund("A17", "40.00", "k-1")
    with pytest.raises(TypeError, match="multiple values for argument 'order_id'"):
        refund("A17", order_id="A17")
    with pytest.raises(TypeError, match="refund_order: reference must be a str, not int"):
        refund("A17", "40.00", reference=5)
    assert calls(session) == []


def test_the_server_refuses_the_rest() -> None:
    with pytest.raises(ToolError, match=r"status 400; outcome not_applied: .*needs the parameter 'amount'"):
        sync_tools(lab())["refund_order"]("A17")


def test_a_result_cannot_be_used_to_change_the_servers_replay() -> None:
    refund = sync_tools(lab("strict"))["refund_order"]
    first = refund("A17", "40.00", idempotency_key="k")
    first["amount"] = "0.00"
    assert refund("A17", "40.00", idempotency_key="k")["amount"] == "40.00"


def test_patience_is_that_of_the_session() -> None:
    session = lab("none", fault("after"), patience_s=2.0)
    with pytest.raises(ToolError) as caught:
        sync_tools(session)["refund_order"](**REFUND.args)
    assert caught.value.outcome is Outcome.UNKNOWN
    assert session.clock.now() == ns(2)


def test_cancelling_a_direct_call_leaves_it_running() -> None:
    session = lab("none", fault("late_server"))

    async def caller() -> None:
        task = asyncio.create_task(async_tools(session)["refund_order"](**REFUND.args))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(caller())
    assert session.events[-1].error == "CancelledError"
    assert session.engine.ledger == []
    session.engine.catch_up(ns(600))
    assert len(session.engine.ledger) == 1


def test_no_patience_at_all_hangs() -> None:
    session = lab("none", fault("before"))
    session.patience_ns = None  # type: ignore[assignment]  # what a caller without a timeout has
    with pytest.raises(Hung):
        sync_tools(session)["refund_order"](**REFUND.args)


def test_a_202_where_a_result_is_expected_is_an_error_with_its_receipt() -> None:
    session = lab("strict", Planned("refund_order", name="accepted"))
    with pytest.raises(ToolError, match="status 202; outcome unknown") as raised:
        sync_tools(session)["refund_order"](order_id="A17", amount="40.00", idempotency_key="k", reference="r")
    assert raised.value.receipt.body == {"state": "accepted", "operation": "r"}
