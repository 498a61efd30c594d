"""Plain Python tool functions behind the lab: outside the same function, inside contract, faults and recording."""

import asyncio
import inspect
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from storefronts import TWINS

from faultlab import Lab, Outcome, ToolError
from faultlab.core.errors import BadInput
from faultlab.core.records import Receipt


class Till:
    """Two tools and what they did."""

    def __init__(self) -> None:
        self.orders: list[str] = []

    def place_order(self, item: str, quantity: int = 1, idempotency_key: str | None = None) -> dict[str, Any]:
        """Order an item."""
        self.orders.append(item)
        return {"id": f"or_{len(self.orders)}", "item": item, "quantity": quantity}

    async def aplace_order(self, item: str, quantity: int = 1, idempotency_key: str | None = None) -> dict[str, Any]:
        """Order an item."""
        await asyncio.sleep(0.5)
        return self.place_order(item, quantity)


def stubborn(tool: Callable[..., Any], **more: Any) -> Any:
    for _ in range(3):
        try:
            return tool("mug", **more)
        except (OSError, ToolError):
            time.sleep(2.0)
    raise RuntimeError("gave up")


async def astubborn(tool: Callable[..., Any], **more: Any) -> Any:
    for _ in range(3):
        try:
            return await tool("mug", **more)
        except (OSError, ToolError):
            await asyncio.sleep(2.0)
    raise RuntimeError("gave up")


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("contract", ["none", "strict"])
@pytest.mark.parametrize("twin", ["clean", *TWINS])
def test_sending_again_is_judged_by_the_contract(twin: str, contract: str, is_async: bool) -> None:
    till = Till()
    lab = Lab(twin=twin, contract=contract).fault("lost_receipt", tool="place_order")
    tool = lab.wrap(till.aplace_order if is_async else till.place_order, name="place_order", identity=["item"])
    key = {"idempotency_key": "k"} if contract == "strict" else {}
    assert lab.run(astubborn if is_async else stubborn, tool, **key)["item"] == "mug"
    found = set(lab.verdict().codes)
    if contract == "strict" or twin == "clean":
        expected: set[str] = set()
    else:
        expected = {"FL201"} if twin == "never" else {"FL101", "FL201"}
    assert found == expected
    assert till.orders == ["mug"] * len(lab.ledger)


@pytest.mark.parametrize("is_async", [False, True])
def test_it_looks_like_the_function_that_it_wraps(is_async: bool) -> None:
    function = Till().aplace_order if is_async else Till().place_order
    wrapped = Lab().wrap(function)
    assert inspect.signature(wrapped) == inspect.signature(function)
    assert (wrapped.__name__, wrapped.__doc__) == (function.__name__, "Order an item.")
    assert inspect.iscoroutinefunction(wrapped) is is_async


@pytest.mark.parametrize(
    ("symptom", "error"),
    [("timeout", TimeoutError), ("reset", ConnectionResetError), ("close", ConnectionAbortedError)],
)
def test_a_lost_receipt_is_a_built_in_exception(symptom: str, error: type[Exception]) -> None:
    lab = Lab().fault("lost_receipt", tool="place_order", symptom=symptom)
    tool = lab.wrap(Till().place_order)
    with pytest.raises(error):
        tool("mug")
    receipt = next(event for event in lab.history.events if type(event) is Receipt)
    assert (receipt.error, receipt.outcome) == (error.__name__, Outcome.UNKNOWN)


def test_or_the_exception_that_the_users_library_raises() -> None:
    class ApiTimeout(Exception):
        pass

    lab = Lab().fault("lost_receipt", tool="place_order", raises=ApiTimeout)
    with pytest.raises(ApiTimeout):
        lab.wrap(Till().place_order)("mug")
    receipt = next(event for event in lab.history.events if type(event) is Receipt)
    assert (receipt.error, receipt.outcome) == ("ApiTimeout", Outcome.UNKNOWN)


def test_a_call_that_never_connected_is_known_not_to_have_happened() -> None:
    lab = Lab().fault("no_connection", tool="place_order", symptom="reset")
    till = Till()
    with pytest.raises(ConnectionRefusedError):
        lab.wrap(till.place_order)("mug")
    receipt = next(event for event in lab.history.events if type(event) is Receipt)
    assert receipt.outcome is Outcome.NOT_APPLIED and till.orders == []


@dataclass
class Money:
    amount: int


def test_a_value_passes_as_it_is_and_stands_in_the_record_as_json() -> None:
    def pay(to: Money, note: str = "") -> Money:
        return to

    lab = Lab()
    money = Money(3)
    assert lab.wrap(pay)(money, note="x") is money
    (effect,) = lab.ledger
    assert (effect.identity, dict(effect.args)) == ('note=x, to={"amount":3}', {"to": {"amount": 3}, "note": "x"})


def test_an_exception_of_the_function_leaves_the_outcome_open_unless_it_is_a_refusal() -> None:
    def refuse(item: str) -> None:
        raise ValueError("no such item")

    for refuses, outcome in ((), Outcome.UNKNOWN), ((ValueError,), Outcome.NOT_APPLIED):
        lab = Lab()
        with pytest.raises(ValueError, match="no such item"):
            lab.wrap(refuse, refuses=refuses)("mug")
        receipt = next(event for event in lab.history.events if type(event) is Receipt)
        assert receipt.outcome is outcome
        assert lab.ledger == []


def test_a_slow_function_is_not_cut_off() -> None:
    """Patience ends a wait for a receipt that does not come, never a function that works."""

    def slow(item: str) -> str:
        time.sleep(60)
        return item

    async def aslow(item: str) -> str:
        await asyncio.sleep(60)
        return item

    for function in (slow, aslow):
        lab = Lab()
        assert lab.run(lab.wrap(function), "mug") == "mug"
        times = [event.t for event in lab.history.events]
        assert times == sorted(times) and times[-1] >= 60_000_000_000


def test_reads_are_recorded_and_prove_what_is_declared() -> None:
    till = Till()

    def list_orders(item: str) -> list[str | None]:
        """The references of the orders of an item."""
        return [None for order in till.orders if order == item]

    def look_first(order: Callable[..., Any], look: Callable[..., Any]) -> str:
        try:
            order("mug")
        except OSError:
            time.sleep(1)
            if not look("mug"):
                order("mug")
        return "done"

    lab = Lab(twin="late_network").fault("lost_receipt", tool="place_order")
    order = lab.wrap(till.place_order, identity=["item"])
    look = lab.wrap(list_orders, writes=False, reveals={"place_order": lambda listed: listed})
    lab.run(look_first, order, look)
    assert set(lab.verdict().codes) == {"FL101", "FL202"}


def test_tools_called_from_threads_keep_the_books_straight() -> None:
    from concurrent.futures import ThreadPoolExecutor

    till = Till()
    lab = Lab()
    order = lab.wrap(till.place_order)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(order, [f"item {number}" for number in range(64)]))
    assert sorted(effect.args["item"] for effect in lab.ledger) == sorted(till.orders)
    assert [event.n for event in lab.history.events if hasattr(event, "n")] == list(range(1, 65))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"identity": ["order"]}, "identity names 'order', which is not one of its parameters"),
        ({"writes": True, "reveals": {"x": None}}, "either writes or reveals"),
    ],
)
def test_a_declaration_that_cannot_be_meant_is_refused(options: dict[str, Any], told: str) -> None:
    with pytest.raises(BadInput, match=told):
        Lab().wrap(Till().place_order, **options)


def test_two_functions_need_two_names() -> None:
    lab = Lab()
    lab.wrap(Till().place_order)
    with pytest.raises(BadInput, match="give this one another name="):
        lab.wrap(Till().place_order)
    assert lab.wrap(Till().place_order, name="other")("mug")["id"] == "or_1"


def test_a_symptom_that_a_function_cannot_have_is_refused() -> None:
    lab = Lab().fault("lost_receipt", tool="place_order", symptom="truncated")
    with pytest.raises(BadInput, match="around a Python function cannot; take one of: timeout, reset, close$"):
        lab.wrap(Till().place_order)("mug")
