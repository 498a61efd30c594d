"""A shop: orders that can be refunded, a balance, and new orders. Nothing here guards against a second call.

World: `orders` {id: {status, total, customer}}, `refunds` {id: {order_id, amount, reference}},
`accounts` {id: {balance}}. Amounts are decimal strings, "40.00".

What tells of an effect: `list_refunds` shows each refund with its reference, `list_orders` each new order.
`get_order` shows that an order is refunded, not by whom or how often, and `get_balance` moves with every refund of
the customer: both tell of refunds, but not of which one, so neither settles anything.
"""

from decimal import Decimal, InvalidOperation
from typing import Any

from faultlab.core.tools import Refused, Toolset, tool
from faultlab.core.world import Row, World


@tool(reveals={"refund_order": None, "reverse_refund": None}, route="GET /v1/orders/{order_id}")
def get_order(world: World, order_id: str) -> dict[str, Any]:
    """Read one order: id, status (paid or refunded), total, customer."""
    return {"id": order_id, **order(world, order_id)}


@tool(
    reveals={
        "refund_order": lambda body: [refund["reference"] for refund in body["refunds"]],
        "reverse_refund": None,
    },
    route="GET /v1/orders/{order_id}/refunds",
)
def list_refunds(world: World, order_id: str) -> dict[str, Any]:
    """List the refunds of one order, each with its amount and the reference given with it."""
    return {"refunds": world.rows("refunds", order_id=order_id), "complete": True}


@tool(
    reveals={"place_order": lambda body: [line["reference"] for line in body["orders"]]},
    route="GET /v1/orders",
)
def list_orders(world: World, customer: str, item: str) -> dict[str, Any]:
    """List a customer's new orders of one item, each with the reference given with it."""
    return {"orders": world.rows("placed", customer=customer, item=item), "complete": True}


@tool(reveals={"refund_order": None, "reverse_refund": None}, route="GET /v1/accounts/{account}")
def get_balance(world: World, account: str) -> dict[str, Any]:
    """Read the balance of an account."""
    row = world.get("accounts", account)
    if row is None:
        raise Refused(404, "not_found", f"there is no account {account}")
    return {"account": account, **row}


@tool(writes=True, identity=["order_id"], route="POST /v1/refunds")
def refund_order(world: World, order_id: str, amount: str) -> dict[str, Any]:
    """Pay an amount of an order back to its customer. Every executed call pays once more."""
    row, paid = order(world, order_id), money(amount)
    if paid > money(row["total"]):
        raise Refused(422, "too_much", f"order {order_id} is {row['total']}, not {amount}")
    refund_id = world.new_id("re")
    refund = {"id": refund_id, "order_id": order_id, "amount": amount, "reference": world.reference}
    world.put("refunds", refund_id, refund)
    world.update("orders", order_id, status="refunded")
    pay(world, row, -paid)
    return refund


@tool(writes=True, identity=["order_id"], reverses="refund_order", route="POST /v1/reversals")
def reverse_refund(world: World, order_id: str, amount: str) -> dict[str, Any]:
    """Take one refund of an order back, where one was paid too many."""
    row = order(world, order_id)
    refunds = world.rows("refunds", order_id=order_id)
    if not refunds:
        raise Refused(409, "nothing_to_reverse", f"order {order_id} has no refund")
    world.drop("refunds", refunds[-1]["id"])
    if len(refunds) == 1:
        world.update("orders", order_id, status="paid")
    pay(world, row, money(amount))
    return {"id": world.new_id("rv"), "order_id": order_id, "amount": amount, "reversed": refunds[-1]["id"]}


@tool(writes=True, identity=["customer", "item"], route="POST /v1/orders")
def place_order(world: World, customer: str, item: str, quantity: int) -> dict[str, Any]:
    """Order an item for a customer. Every executed call is one more order."""
    if quantity < 1:
        raise Refused(422, "quantity", f"quantity must be 1 or more, not {quantity}")
    line_id = world.new_id("or")
    line = {
        "id": line_id,
        "customer": customer,
        "item": item,
        "quantity": quantity,
        "reference": world.reference,
    }
    world.put("placed", line_id, line)
    return line


def order(world: World, order_id: str) -> Row:
    """The order's row, or a refusal that says which is missing."""
    row = world.get("orders", order_id)
    if row is None:
        raise Refused(404, "not_found", f"there is no order {order_id}")
    return row


def money(text: str) -> Decimal:
    """A positive decimal amount, or a refusal."""
    try:
        amount = Decimal(text)
    except InvalidOperation:
        raise Refused(422, "amount", f"{text!r} is not a decimal amount") from None
    if not amount.is_finite() or amount <= 0:
        raise Refused(422, "amount", f"an amount is above zero, not {text}")
    return amount


def pay(world: World, row: Row, change: Decimal) -> None:
    """Book a change on the account of the order's customer, where there is one."""
    account = world.get("accounts", row.get("customer", ""))
    if account is not None:
        world.update("accounts", row["customer"], balance=str(Decimal(account["balance"]) + change))


SHOP = Toolset.of("shop", get_order, list_refunds, list_orders, get_balance, refund_order, reverse_refund, place_order)
