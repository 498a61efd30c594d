"""The shop: what it refuses, how money moves, and that nothing guards against a second call."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from labs import lab

from faultlab.core.agent import ToolError
from faultlab.core.records import Outcome
from faultlab.engine.session import Session
from faultlab.transports.direct import sync_tools


def refused(session: Session, name: str, **args: Any) -> tuple[int | None, str, str]:
    with pytest.raises(ToolError) as raised:
        sync_tools(session)[name](**args)
    assert raised.value.outcome is Outcome.NOT_APPLIED
    body = raised.value.receipt.body
    return raised.value.receipt.status, body["code"], body["detail"]


def balance(session: Session, account: str = "C1") -> Decimal:
    return Decimal(sync_tools(session)["get_balance"](account)["balance"])


@pytest.mark.parametrize(
    ("name", "args", "status", "says"),
    [
        ("get_order", {"order_id": "X"}, 404, "X"),
        ("list_refunds", {"order_id": "A17", "page": 2}, None, "page"),
        ("get_balance", {"account": "C9"}, 404, "C9"),
        ("refund_order", {"order_id": "X", "amount": "1"}, 404, "X"),
        ("refund_order", {"order_id": "A17", "amount": "40.01"}, 422, "40.00"),
        ("refund_order", {"order_id": "A17", "amount": "0"}, 422, "above zero"),
        ("refund_order", {"order_id": "A17", "amount": "-1"}, 422, "-1"),
        ("refund_order", {"order_id": "A17", "amount": "NaN"}, 422, "NaN"),
        ("refund_order", {"order_id": "A17", "amount": "Infinity"}, 422, "Infinity"),
        ("refund_order", {"order_id": "A17", "amount": "forty"}, 422, "'forty'"),
        ("refund_order", {"order_id": "A17", "amount": 40}, 400, "amount"),
        ("reverse_refund", {"order_id": "A17", "amount": "1"}, 409, "A17"),
        ("reverse_refund", {"order_id": "X", "amount": "1"}, 404, "X"),
        ("place_order", {"customer": "C1", "item": "mug", "quantity": 0}, 422, "0"),
        ("place_order", {"customer": "C1", "item": "mug", "quantity": True}, 400, "quantity"),
    ],
)
def test_a_refusal_says_why_and_changes_nothing(name: str, args: dict[str, Any], status: int | None, says: str) -> None:
    session = lab()
    if status is None:
        status = 400
    code, _, detail = refused(session, name, **args)
    assert code == status
    assert says in detail
    assert session.engine.ledger == []
    assert balance(session) == Decimal(100)
    assert sync_tools(session)["get_order"]("A17")["status"] == "paid"


def test_a_refund_moves_money_marks_the_order_and_shows_its_reference() -> None:
    session = lab()
    tools = sync_tools(session)
    made = tools["refund_order"](order_id="A17", amount="15.50", reference="r1")
    assert balance(session) == Decimal("84.50")
    assert balance(session, "C2") == Decimal(50)
    assert tools["get_order"]("A17")["status"] == "refunded"
    assert tools["get_order"]("B92")["status"] == "paid"
    shown = tools["list_refunds"]("A17")
    assert shown == {"refunds": [made], "complete": True}
    assert (made["amount"], made["reference"]) == ("15.50", "r1")


@given(st.lists(st.decimals("0.01", "40", places=2), min_size=1, max_size=4))
def test_every_executed_refund_pays_and_reversals_pay_back(amounts: list[Decimal]) -> None:
    session = lab()
    tools = sync_tools(session)
    for amount in amounts:
        tools["refund_order"](order_id="A17", amount=str(amount))
    assert balance(session) == 100 - sum(amounts)
    assert [Decimal(line["amount"]) for line in tools["list_refunds"]("A17")["refunds"]] == amounts
    for left in range(len(amounts) - 1, -1, -1):
        assert tools["get_order"]("A17")["status"] == "refunded"
        tools["reverse_refund"](order_id="A17", amount=str(amounts[left]))
        assert len(tools["list_refunds"]("A17")["refunds"]) == left
    assert tools["get_order"]("A17")["status"] == "paid"
    assert balance(session) == 100
    effects = session.engine.ledger
    refunds = [effect.id for effect in effects if effect.tool == "refund_order"]
    assert sorted(effect.reverses or "" for effect in effects if effect.tool == "reverse_refund") == sorted(refunds)


def test_two_equal_orders_are_two_orders() -> None:
    session = lab()
    tools = sync_tools(session)
    for reference in ("a", "b"):
        tools["place_order"](customer="C1", item="mug", quantity=2, reference=reference)
    tools["place_order"](customer="C1", item="cup", quantity=1)
    assert [line["reference"] for line in tools["list_orders"]("C1", "mug")["orders"]] == ["a", "b"]
    assert tools["list_orders"]("C2", "mug")["orders"] == []
